package ops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

// FirstStart is what the package needs for the setup of a new database; package
// auth has it all.
type FirstStart interface {
	// ChoosePassword replaces the printed password of a user.
	ChoosePassword(ctx context.Context, userID int32, password string) error
	// FinishSetup closes the setup for good.
	FinishSetup(ctx context.Context) error
}

// settingStore keeps settings.
type settingStore interface {
	Setting(ctx context.Context, key string) (value string, ok bool, err error)
	SetSetting(ctx context.Context, key, value string) error
}

// errNoFirstStart is returned where nobody has said how.
var errNoFirstStart = errors.New("ops: there is no setup here")

// zoneSetting is the setting that holds the zone of new jobs.
const zoneSetting = "new-job-zone"

// ChooseFirstPassword replaces the printed password of the principal, who is in
// the setup of a new database. All sessions of the user end. Errors are those of
// FirstStart.
func (s *Service) ChooseFirstPassword(ctx context.Context, p Principal, password string) error {
	if s.cfg.FirstStart == nil {
		return errNoFirstStart
	}
	if err := s.cfg.FirstStart.ChoosePassword(ctx, p.UserID, password); err != nil {
		return fmt.Errorf("choose the first password: %w", err)
	}
	s.record(ctx, p, "user.password", userObject(p.UserID), "chosen in the setup")
	return nil
}

// FinishSetup closes the setup of a new database for good. For administrators.
func (s *Service) FinishSetup(ctx context.Context, p Principal) error {
	if err := s.needAdmin(ctx, p, "setup.finish", ""); err != nil {
		return err
	}
	if s.cfg.FirstStart == nil {
		return errNoFirstStart
	}
	if err := s.cfg.FirstStart.FinishSetup(ctx); err != nil {
		return fmt.Errorf("finish the setup: %w", err)
	}
	s.record(ctx, p, "setup.finish", "setup", "")
	return nil
}

// OwnZones reports whether jobs may have time zones of their own: not while a
// Java admin works on the same database.
func (s *Service) OwnZones() bool { return !s.cfg.SharedWithJava }

// NewJobZone returns the zone that new jobs are suggested; "" is the server's.
func (s *Service) NewJobZone(ctx context.Context) (string, error) {
	if !s.OwnZones() {
		return "", nil
	}
	zone, _, err := s.store.Setting(ctx, zoneSetting)
	return zone, err
}

// SetNewJobZone sets the zone that new jobs are suggested, an IANA name or "" for
// the server's. Jobs that exist stay as they are. For administrators.
func (s *Service) SetNewJobZone(ctx context.Context, p Principal, zone string) error {
	if err := s.needAdmin(ctx, p, "setting.zone", ""); err != nil {
		return err
	}
	if zone != "" && !s.OwnZones() {
		return invalid("", key(i18n.ScheduleZoneShared))
	}
	if _, e := s.zone(zone); e != nil {
		return e
	}
	if err := s.store.SetSetting(ctx, zoneSetting, zone); err != nil {
		return fmt.Errorf("set the zone of new jobs: %w", err)
	}
	s.record(ctx, p, "setting.zone", "setting "+zoneSetting, zone)
	return nil
}

// addressEvery and addressWait bound how AwaitAddress looks.
const (
	addressEvery = 50 * time.Millisecond
	addressWait  = 5 * time.Second
)

// AwaitAddress waits until an executor of the group is known, at most 5 s, and
// reports whether one is: a group that was made for an executor that runs has
// its address a moment later.
func (s *Service) AwaitAddress(ctx context.Context, p Principal, groupID int32) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, addressWait)
	defer cancel()
	for {
		_, list, err := s.Addresses(ctx, p, groupID)
		if len(list) > 0 {
			return true, nil
		}
		if err != nil && ctx.Err() == nil {
			return false, err
		}
		select {
		case <-ctx.Done():
			return false, nil
		case <-time.After(addressEvery):
		}
	}
}
