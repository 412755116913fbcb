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
	defer setenv(map[string]string{
		"XXL_JOB_ADMIN_ADDRESSES":  "http://admin-1:8080,http://admin-2:8080",
		"XXL_JOB_ACCESS_TOKEN":     "secret",
		"XXL_JOB_EXECUTOR_APPNAME": "billing",
		"XXL_JOB_EXECUTOR_PORT":    "tcp://10.0.0.1:9999", // of Kubernetes, not meant for us
	})()

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

// setenv stands for what starts the service. What it returns takes it back.
func setenv(vars map[string]string) (unset func()) {
	for name, value := range vars {
		if err := os.Setenv(name, value); err != nil {
			log.Fatal(err)
		}
	}
	return func() {
		for name := range vars {
			if err := os.Unsetenv(name); err != nil {
				log.Fatal(err)
			}
		}
	}
}
