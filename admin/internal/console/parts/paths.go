package parts

import (
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// AddressPath is the page of an address of a group.
func AddressPath(group int32, address string) string {
	return ExecutorPath(group) + "/address" + web.Query("at", address)
}

// WherePath is AddressPath of where a run was sent; "" for one that was sent
// nowhere.
func WherePath(l *model.Log) string {
	if l.Address.S == "" {
		return ""
	}
	return AddressPath(l.GroupID, l.Address.S)
}

// SumLanes adds up how the addresses of a group stand, as far as this node knows.
func SumLanes(lanes map[string]model.AddressState, addresses []string) (sum model.AddressState, dead int) {
	for _, a := range addresses {
		lane := lanes[LaneKey(a)]
		sum.Queued += lane.Queued
		sum.InFlight += lane.InFlight
		if !lane.DeadSince.IsZero() {
			dead++
		}
	}
	return sum, dead
}

// LaneKey is an address without what makes no difference to the way there:
// blanks around it, and a slash at its end.
func LaneKey(address string) string { return strings.TrimSuffix(strings.TrimSpace(address), "/") }

// ExecutorPath is the page of an executor.
func ExecutorPath(id int32) string { return "/executors/" + strconv.Itoa(int(id)) }

// PathOfJob is the page of a job.
func PathOfJob(id int32) string { return "/jobs/" + strconv.Itoa(int(id)) }
