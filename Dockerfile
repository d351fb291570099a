# The service, and the judge of services, in one image without Node:
#
#   npm run binary
#   docker build --tag svc-conformance .
#   docker run --rm --publish 4595:4595 svc-conformance
#   docker run --rm svc-conformance probe http://HOST:PORT
FROM gcr.io/distroless/cc-debian12:nonroot
# A release names its own file, which has to be built for Linux and the architecture of the image.
ARG BINARY=dist/binary/svc-conformance
COPY --chmod=0755 ${BINARY} /usr/local/bin/svc-conformance
EXPOSE 4595
ENTRYPOINT ["/usr/local/bin/svc-conformance"]
CMD ["serve", "--host", "0.0.0.0"]
