// Package i18n holds the texts that the admin shows, stores and mails, in
// simplified Chinese (the default), traditional Chinese and English.
//
// One language serves the whole server, as with the Java admin: it also fixes
// the language of what is stored in trigger_msg and handle_msg. Keys have the
// names that the Java admin gives them, because its documentation and the
// tools around it speak of them; where its releases spell one key in two ways
// (unvalid and invalid, lengh and length) there is one key here. The English
// wording of what a console, a script or an executor gets to see is that of
// the Java admin, oddities included, since scripts compare it; every other
// text is our own.
//
// Many messages are made of several texts put together without a blank, as in
// "please input " + "Username" or "Cron" + "illegal".
package i18n
