// Package joblog keeps the logs of runs in files, in the layout of the Java
// executor: <Dir>/yyyy-MM-dd/<logId>.log, the day taken from the trigger's
// time. It knows files and lines; what an entry looks like, what a run is and
// how an answer travels are the caller's.
//
// # Writing
//
// A Log buffers its entries and opens its file only to write them: within
// Config.FlushEvery, or at once when 32 KiB wait. Nothing that happens to the
// disk fails a run. What cannot be written waits in the buffer as long as it
// fits, is then dropped and counted, and a line in the log says how much is
// missing as soon as the disk takes bytes again.
//
// # Reading
//
// A line ends at \n, at \r\n or at a lone \r; bytes after the last end are a
// line too. Lines are numbered from 1, and a number never changes while the
// file only grows. Read answers a bounded page. To find a line without reading
// the file from its start, every file above 64 KiB has an index: the number
// and offset of the first line that begins in each 64 KiB. It is fed by the
// writer and by readers, kept in memory for the files used last, and stored
// beside logs above 1 MiB as <logId>.idx. A stored index is only a shortcut:
// it is checked against the file before use and built again when it does not
// fit.
//
// # Safety
//
// Ids and times come from the network. Names are built from integers alone,
// every path is resolved below Dir by os.Root, and a symbolic link in the
// place of a day folder or of a log is refused.
package joblog
