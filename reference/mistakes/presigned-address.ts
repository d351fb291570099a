/**
 * Mistakes in the host and the path of a pre-signed URL (§4.3, §5.3, §5.4).
 *
 * @module
 */
import { urlEncode } from '../signing/percent-encoding.ts';
import { filePath } from '../signing/presigned-url.ts';
import type { Mistake } from './mistake.ts';

const HOST: readonly Mistake[] = [
  {
    id: 'host-without-bucket',
    rule: '4.3/host',
    swap: { fileHostName: (_, fileHost) => fileHost },
    cause: 'the host is the file host, without the bucket',
    fix: 'put the bucket and a dot before the file host',
  },
  {
    id: 'host-before-bucket',
    rule: '4.3/host',
    swap: { fileHostName: (bucket, fileHost) => `${fileHost}/${bucket}` },
    cause: 'the bucket is the first part of the path',
    fix: 'put the bucket and a dot before the file host',
  },
  {
    id: 'host-without-dot',
    rule: '4.3/host',
    swap: { fileHostName: (bucket, fileHost) => bucket + fileHost },
    cause: 'no dot stands between the bucket and the file host',
    fix: 'put the bucket and a dot before the file host',
  },
  {
    id: 'host-without-port',
    rule: '4.3/host',
    swap: { fileHostName: (bucket, fileHost) => `${bucket}.${fileHost.replace(/:\d+$/, '')}` },
    cause: 'the port of the file host is dropped',
    fix: 'keep the port of the file host',
  },
  {
    id: 'host-encoded',
    rule: '4.3/host',
    swap: { fileHostName: (bucket, fileHost) => `${bucket}.${urlEncode(fileHost)}` },
    cause: 'the file host is percent-encoded, the colon of its port included',
    fix: 'write the file host as it is given',
    seen: 'ufile-client-java 2.7.5 (Java)',
  },
];

const PATH: readonly Mistake[] = [
  {
    id: 'path-unencoded',
    rule: '5.4/path-encoded',
    swap: { filePath: (key) => `/${key}` },
    cause: 'the key stands in the URL as it is',
    fix: 'percent-encode the key, but for its slashes',
    seen: 'ufile 3.2.11 (Python), ufile-gosdk 1.0.3 (Go)',
  },
  {
    id: 'path-encoded-twice',
    rule: '5.4/path-encoded',
    swap: { filePath: (key, context) => filePath(key, context).replaceAll('%', '%25') },
    cause: 'the key is percent-encoded twice',
    fix: 'encode the key once, or let the URL library do it',
  },
  {
    id: 'path-escapes-kept',
    rule: '5.4/path-encoded',
    swap: {
      filePath: (key, context) => filePath(key, context).replace(/%25(?=[0-9A-Fa-f]{2})/g, '%'),
    },
    cause: 'what looks like an escape in the key is not escaped again',
    fix: 'encode every percent sign of the key as "%25"',
  },
  {
    id: 'path-encoded-as-form',
    rule: '5.4/path-encoded',
    swap: {
      filePath: (key, context) =>
        filePath(key, context).replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', '%7E'),
    },
    cause: 'the key is encoded as forms are, with "+" for a space',
    fix: 'write a space as "%20", and leave "~" but not "*" as it is',
  },
  {
    id: 'path-encoded-as-form-but-spaces',
    rule: '5.4/path-encoded',
    swap: {
      filePath: (key, context) =>
        filePath(key, context).replaceAll('%2A', '*').replaceAll('~', '%7E'),
    },
    cause: 'the key is encoded as forms are but for the space: "*" stays, "~" is encoded',
    fix: 'write "*" as "%2A", and leave "~" as it is',
    seen: 'ufile-client-java 2.6.6',
  },
  {
    id: 'path-encoded-as-uri',
    rule: '5.4/path-encoded',
    swap: { filePath: (key) => `/${encodeURI(key)}` },
    cause: 'characters that separate the parts of a URL stay as they are in the key',
    fix: 'encode every byte but letters, digits, "-", "_", ".", "~" and slashes',
  },
  {
    id: 'path-encoded-as-component',
    rule: '5.4/path-encoded',
    swap: { filePath: (key) => `/${key.split('/').map(encodeURIComponent).join('/')}` },
    cause: "the marks !'()* of the key are not encoded",
    fix: 'encode every byte but letters, digits, "-", "_", ".", "~" and slashes',
  },
  {
    id: 'path-encoded-as-segments',
    rule: '5.4/path-encoded',
    swap: {
      filePath: (key) =>
        `/${key.replace(/[^A-Za-z0-9\-_.~/$&+,:;=@]+/g, (others) => urlEncode(others))}`,
    },
    cause: 'characters that a path may have bare, such as "+", "&" and ":", are not encoded',
    fix: 'encode every byte but letters, digits, "-", "_", ".", "~" and slashes',
  },
  {
    id: 'path-escaped-in-lower-case',
    rule: '5.4/path-encoded',
    swap: {
      filePath: (key, context) =>
        filePath(key, context).replace(/%../g, (digits) => digits.toLowerCase()),
    },
    cause: 'the escapes of the path have lower-case digits',
    fix: 'write escapes with upper-case digits',
  },
  {
    id: 'path-dots-resolved',
    rule: '5.4/path-encoded',
    swap: {
      filePath: (key, context) => new URL(`http://host${filePath(key, context)}`).pathname,
    },
    cause: 'a URL class resolves "." and ".." in the key, so the path names another file',
    fix: 'put the URL together as a text, or refuse such keys',
  },
  {
    id: 'path-first-slash-dropped',
    rule: '5.4/path-encoded',
    swap: { filePath: (key, context) => filePath(key.replace(/^\/+/, ''), context) },
    cause: 'slashes at the start of the key are dropped',
    fix: 'write a slash and the whole key behind the host',
  },
  {
    id: 'path-slashes-collapsed',
    rule: '5.4/path-encoded',
    swap: { filePath: (key, context) => filePath(key, context).replace(/\/{2,}/g, '/') },
    cause: 'several slashes in a row become one',
    fix: 'keep every slash of the key',
  },
];

/** What stands before the query of a URL. */
export const PRESIGNED_ADDRESS: readonly Mistake[] = [...HOST, ...PATH];
