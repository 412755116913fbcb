package xxljob_test

import (
	"fmt"
	"log"
	"os"

	"github.com/xxljob-go/xxljob"
)

// A service in a container is often configured by its environment. What stands
// there is a beginning; the program sets the rest.
func ExampleConfigFromEnv() {
	for name, value := range map[string]string{
		"XXL_JOB_ADMIN_ADDRESSES":  "http://admin-1:8080,http://admin-2:8080",
		"XXL_JOB_ACCESS_TOKEN":     "secret",
		"XXL_JOB_EXECUTOR_APPNAME": "billing",
		"XXL_JOB_EXECUTOR_PORT":    "tcp://10.0.0.1:9999", // of Kubernetes, not meant for us
	} {
		os.Setenv(name, value)
		defer os.Unsetenv(name)
	}

	cfg, err := xxljob.ConfigFromEnv()
	if err != nil {
		log.Fatal(err)
	}
	cfg.MaxConcurrent = 8
	fmt.Println(cfg.AppName, cfg.AdminAddrs, cfg.Port)
	if _, err := xxljob.NewExecutor(cfg); err != nil {
		log.Fatal(err)
	}
	// Output:
	// billing [http://admin-1:8080 http://admin-2:8080] 0
}
