module svc-conformance/adapters/go

go 1.21
