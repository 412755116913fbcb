package xxljob_test

import (
	"context"
	"fmt"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/xxljobtest"
)

// In a sharding broadcast every executor of the group runs the same handler
// with its own index, and does its part of the whole.
func ExampleShard() {
	handler := func(_ context.Context, run *xxljob.Run) error {
		regions := []string{"north", "east", "south", "west", "centre"}
		run.SetResult(fmt.Sprint(run.ShardIndex(), "/", run.ShardTotal(), " ", xxljob.Shard(run, regions)))
		return nil
	}
	for index := range 3 { // three executors
		result := xxljobtest.Run(context.Background(), handler, xxljobtest.Trigger{ShardIndex: index, ShardTotal: 3})
		fmt.Println(result.Msg)
	}
	// Output:
	// 0/3 [north west]
	// 1/3 [east centre]
	// 2/3 [south]
}

// By id an item stays with its shard, whatever else is in the list.
func ExampleRun_Owns() {
	handler := func(_ context.Context, run *xxljob.Run) error {
		for _, id := range []int64{100, 101, 102, 103, 104} {
			if run.Owns(id) {
				run.Logf("customer %d", id)
			}
		}
		return nil
	}
	result := xxljobtest.Run(context.Background(), handler, xxljobtest.Trigger{ShardIndex: 1, ShardTotal: 2})
	fmt.Println(result.Entries)
	// Output:
	// [customer 101 customer 103]
}
