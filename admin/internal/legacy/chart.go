package legacy

// chartInfo answers with the numbers of each day of a range; without any, with
// zeros for the last seven days.
func (c *call) chartInfo() error {
	if err := c.need("startDate", "endDate"); err != nil {
		return err
	}
	from, err := c.date("startDate")
	if err != nil {
		return err
	}
	to, err := c.date("endDate")
	if err != nil {
		return err
	}
	runs, err := c.s.cfg.Ops.Dashboard(c.r.Context(), c.who, from, to)
	if err != nil {
		return err
	}
	v := chart{
		Days: []string{}, Running: []int{}, Fail: []int{}, Success: []int{},
		RunningTotal: runs.Running, SuccessTotal: runs.Success, FailTotal: runs.Failed,
	}
	for _, d := range runs.Days {
		v.Days = append(v.Days, d.Day.Format(layoutDay))
		v.Running = append(v.Running, d.Running)
		v.Success = append(v.Success, d.Success)
		v.Fail = append(v.Fail, d.Failed)
	}
	return c.ok(v)
}
