import { expect, test } from 'vitest';
import { parseTarget, targetHost } from '../../reference/server/http/request.ts';
import type { Address } from '../../reference/server/messages/hosts.ts';
import { resolveAddress, serviceHosts } from '../../reference/server/messages/hosts.ts';
import { UCLOUD } from '../../reference/signing/index.ts';

const HOSTS = serviceHosts(
  UCLOUD,
  ['files.test', '.*.Regions.test'],
  { 'BOUND.test': 'one', '127.0.0.1:4600': 'two' },
  () => 4595,
);

function address(method: string, target: string, host: string, type?: string): Address {
  const headers = type === undefined ? [] : [['content-type', type] as const];
  const body = {
    length: 0,
    pieces: () => {
      throw new Error('an address is found without the body');
    },
    bytes: () => Promise.reject(new Error('an address is found without the body')),
  };
  const whole = { id: '', arrived: 0, method, target, headers, body, ...parseTarget(target) };
  return resolveAddress({ ...whole, host: targetHost(target) ?? host }, HOSTS);
}

const bucket = (name: string): Address => ({ kind: 'bucket', bucket: name });

test.each<[string, Address]>([
  ['demo.cn-bj.ufileos.com', bucket('demo')],
  ['ufileos.com', { kind: 'foreign' }],
  ['a.demo.cn-bj.ufileos.com', { kind: 'foreign' }],
  ['.cn-bj.ufileos.com', { kind: 'foreign' }],
  ['cn-bj.ufileos.com', { kind: 'unnamed bucket' }],
  ['api.ucloud.cn', { kind: 'actions' }],
  ['api.svc.example', { kind: 'foreign' }],
  ['demo.files.localhost:4595', bucket('demo')],
  ['demo.localhost', bucket('demo')],
  ['api.localhost:1', { kind: 'actions' }],
  ['api.files.localhost', bucket('api')],
  ['files.localhost', { kind: 'unnamed bucket' }],
  ['demo.files.test:80', bucket('demo')],
  ['demo.x.regions.test', bucket('demo')],
  ['bound.test', bucket('one')],
  ['bound.test:99', bucket('one')],
  ['127.0.0.1:4600', bucket('two')],
  ['127.0.0.1:4595', { kind: 'unnamed bucket' }],
  ['[::1]:4595', { kind: 'unnamed bucket' }],
  ['192.168.1.2', { kind: 'unnamed bucket' }],
  ['localhost', { kind: 'unnamed bucket' }],
  ['', { kind: 'unnamed bucket' }],
  ['example.com', { kind: 'foreign' }],
  ['127.0.0.1.example.com', { kind: 'foreign' }],
  ['a:b:c', { kind: 'foreign' }],
])('the host %s is resolved to its address', (host, expected) => {
  expect(address('GET', '/k', host)).toEqual(expected);
});

test.each<[string, Address]>([
  ['http://demo.cn-bj.ufileos.com/k', bucket('demo')],
  ['http://api.ucloud.cn/', { kind: 'actions' }],
  ['http://127.0.0.1:4595/k', { kind: 'unnamed bucket' }],
  // Another server on this machine.
  ['http://127.0.0.1:4596/k', { kind: 'foreign' }],
  ['http://demo.localhost:4596/k', { kind: 'foreign' }],
  ['http://demo.localhost:4595/k', bucket('demo')],
  ['http://example.com/-/health', { kind: 'foreign' }],
])('a proxy request for %s is resolved to its address', (target, expected) => {
  expect(address('GET', target, '127.0.0.1:4595')).toEqual(expected);
});

test.each<[string, string, string, string | undefined, Address]>([
  ['GET', '/?Action=DescribeBucket', '127.0.0.1', undefined, { kind: 'actions' }],
  ['GET', '/?PublicKey=x', '127.0.0.1', undefined, { kind: 'actions' }],
  ['GET', '/?list&Actions=1', '127.0.0.1', undefined, { kind: 'unnamed bucket' }],
  ['GET', '/k?Action=x', '127.0.0.1', undefined, { kind: 'unnamed bucket' }],
  ['POST', '/', '127.0.0.1', 'application/json', { kind: 'actions' }],
  ['POST', '/', 'bound.test', undefined, { kind: 'actions' }],
  ['POST', '/', 'demo.localhost', 'application/json', bucket('demo')],
  ['POST', '/', '127.0.0.1', 'Multipart/Form-Data; boundary=x', { kind: 'unnamed bucket' }],
  ['GET', '/-/health', 'localhost', undefined, { kind: 'built-in page' }],
  ['GET', '/-/health', 'demo.localhost', undefined, bucket('demo')],
  ['GET', '/-/health', 'bound.test', undefined, bucket('one')],
  ['GET', '/-/health', '127.0.0.1:4600', undefined, { kind: 'built-in page' }],
  ['GET', '/', '127.0.0.1', undefined, { kind: 'built-in page' }],
  ['PUT', '/-', '127.0.0.1', undefined, { kind: 'unnamed bucket' }],
])(
  '%s %s on %s with type %s is resolved to its address',
  (method, target, host, type, expected) => {
    expect(address(method, target, host, type)).toEqual(expected);
  },
);
