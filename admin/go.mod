module github.com/xxljob-go/xxljob/admin

go 1.26

require github.com/xxljob-go/xxljob v0.0.0-00010101000000-000000000000

replace github.com/xxljob-go/xxljob => ../
