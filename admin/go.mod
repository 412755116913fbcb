module github.com/xxljob-go/xxljob/admin

go 1.26

replace github.com/xxljob-go/xxljob => ../
