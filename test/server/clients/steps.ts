/**
 * The steps of every client. A client prints one JSON line for each step, in this order:
 * `{"step", "ok": true}`, `{"step", "ok": false, "error"}`, or `{"step", "lacking"}` with the
 * reason if its SDK has no function for the step.
 *
 * The environment has its key pair and a bucket in `SVC_PUBLIC_KEY`, `SVC_PRIVATE_KEY` and
 * `SVC_BUCKET`, and the server in `http_proxy`. Its folder is empty. A step that reads what it
 * wrote compares all bytes.
 *
 * @module
 */

export interface Step {
  readonly step: string;
  readonly ok?: boolean;
  readonly error?: string;
  readonly lacking?: string;
}

export const STEPS: readonly string[] = [
  'create bucket',
  'describe bucket',
  'put and get 0 bytes',
  'put and get 1 byte',
  'put and get 5 MiB',
  'key with a space',
  'key with a plus',
  'key with a percent sign',
  'key with an escape in it',
  'key beyond ASCII',
  'key with slashes',
  'put with Content-MD5',
  'metadata',
  'form post',
  'instant upload',
  'append',
  'range get',
  'head',
  'prefix list',
  'list objects',
  'copy',
  'rename',
  'archive and restore',
  'multipart upload',
  'part copy',
  'list parts',
  'abort upload',
  'pre-signed get',
  'pre-signed put',
  'delete',
  'delete bucket',
];
