package i18n

// ownWords are our wording of texts that Java's consoles and scripts know in hers, for
// who reads pages and answers of ours; in the order of [Langs].
var ownWords = map[Key][3]string{
	SystemInvalid:                    {"无效", "無效", "is not valid"},
	JobgroupFieldRegistryListInvalid: {"机器地址无效", "機器位址無效", "The address is not valid"},
	JobinfoGlueJobidInvalid:          {"没有该任务", "沒有該任務", "There is no such job"},
	JoblogLogidInvalid:               {"没有该次运行", "沒有該次執行", "There is no such run"},
	JoblogCleanTypeInvalid:           {"清理方式无效", "清理方式無效", "The kind of cleaning is not valid"},
}

// Own returns the text of key in words of our own, where there are other ones than
// those of the Java admin, or else Text.
func (l Lang) Own(key Key) string {
	if words, ok := ownWords[key]; ok && int(l) < len(words) {
		return words[l]
	}
	return l.Text(key)
}
