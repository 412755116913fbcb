package xxljob

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ConfigFromEnv returns a Config with what these environment variables say;
// fields whose variable is unset or empty stay zero. The names are those of
// Java's settings:
//
//	XXL_JOB_ADMIN_ADDRESSES            AdminAddrs, separated by commas
//	XXL_JOB_ACCESS_TOKEN               AccessToken (also XXL_JOB_ACCESSTOKEN)
//	XXL_JOB_EXECUTOR_APPNAME           AppName
//	XXL_JOB_EXECUTOR_ADDRESS           Address
//	XXL_JOB_EXECUTOR_IP                Host
//	XXL_JOB_EXECUTOR_PORT              Port
//	XXL_JOB_EXECUTOR_LOGPATH           LogPath
//	XXL_JOB_EXECUTOR_LOGRETENTIONDAYS  LogRetentionDays
//
// A port of the form tcp://10.0.0.1:9999 is ignored: Kubernetes sets such a
// variable for every service, and one called xxl-job-executor hits this name.
// Any other value that is no number is an error.
func ConfigFromEnv() (Config, error) { return configFromEnv(os.Getenv) }

func configFromEnv(getenv func(string) string) (Config, error) {
	get := func(name string) string { return strings.TrimSpace(getenv(name)) }
	cfg := Config{
		AccessToken: get("XXL_JOB_ACCESS_TOKEN"),
		AppName:     get("XXL_JOB_EXECUTOR_APPNAME"),
		Address:     get("XXL_JOB_EXECUTOR_ADDRESS"),
		Host:        get("XXL_JOB_EXECUTOR_IP"),
		LogPath:     get("XXL_JOB_EXECUTOR_LOGPATH"),
	}
	if cfg.AccessToken == "" {
		cfg.AccessToken = get("XXL_JOB_ACCESSTOKEN")
	}
	cfg.AdminAddrs = splitAddrs([]string{get("XXL_JOB_ADMIN_ADDRESSES")})
	var errs []error
	number := func(name string, dst *int) {
		value := get(name)
		if value == "" || strings.Contains(value, "://") {
			return
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s is %q: it must be a number", name, value))
			return
		}
		*dst = n
	}
	number("XXL_JOB_EXECUTOR_PORT", &cfg.Port)
	number("XXL_JOB_EXECUTOR_LOGRETENTIONDAYS", &cfg.LogRetentionDays)
	if err := errors.Join(errs...); err != nil {
		return Config{}, fmt.Errorf("xxljob: environment: %w", err)
	}
	return cfg, nil
}
