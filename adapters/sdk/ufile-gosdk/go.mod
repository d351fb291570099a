module svc-conformance/adapters/sdk/ufile-gosdk

go 1.21

require github.com/ufilesdk-dev/ufile-gosdk v1.0.3
