module svc-conformance/adapters/sdk/ucloud-sdk-go

go 1.21

require github.com/ucloud/ucloud-sdk-go v0.22.17

require (
	github.com/konsorten/go-windows-terminal-sequences v1.0.1 // indirect
	github.com/pkg/errors v0.8.0 // indirect
	github.com/sirupsen/logrus v1.3.0 // indirect
	golang.org/x/crypto v0.0.0-20191011191535-87dc89f01550 // indirect
	golang.org/x/sys v0.0.0-20190412213103-97732733099d // indirect
)
