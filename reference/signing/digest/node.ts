/**
 * `#digest` on Node: the built-in implementation. See `contract.ts`.
 *
 * @module
 */
import { createHash, createHmac } from 'node:crypto';
import type { Digest } from './contract.ts';

export const sha1: Digest['sha1'] = (data) => createHash('sha1').update(data).digest();

export const hmacSha1: Digest['hmacSha1'] = (key, data) =>
  createHmac('sha1', key).update(data).digest();

export const sha1Hash: Digest['sha1Hash'] = () => {
  const hash = createHash('sha1');
  return { update: (data) => void hash.update(data), digest: () => hash.digest() };
};
