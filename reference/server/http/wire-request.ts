/**
 * From Node's request to ours.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http';
import type { HeaderList } from '../../signing/index.ts';
import { headerOf, type WireBody, type WireRequest } from '../wire-request.ts';
import { fault } from './fault.ts';
import { hostOfTarget, pathAndQueryOf } from './target.ts';
import { textOfWire } from './wire-text.ts';

/** What is known of a request whatever its target is like. */
export interface Arrival {
  readonly id: string;
  readonly arrived: number;
  readonly method: string;
  /** Of the target, where it is a whole URL, else of the header; empty where neither has one. */
  readonly host: string;
  readonly target: string;
  readonly headers: HeaderList;
}

export function arrivalOf(message: IncomingMessage, id: string, arrived: number): Arrival {
  const { rawHeaders, method = '', url = '' } = message;
  const headers = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name, textOfWire(rawHeaders[at + 1] ?? '')] as const] : [],
  );
  const target = textOfWire(url);
  const host = hostOfTarget(target) ?? headerOf({ headers }, 'Host')?.toLowerCase() ?? '';
  return { id, arrived, method, host, target, headers };
}

/** The request whole; throws a `ServiceError` where nobody can tell what it is about. */
export function wireRequest(arrival: Arrival, body: WireBody, version: string): WireRequest {
  const { target, headers } = arrival;
  const hosts = headers.filter(([name]) => name.toLowerCase() === 'host').length;
  if (hosts > 1) {
    throw fault(400, `the header Host appears ${hosts} times; RFC 9112 has it once`);
  }
  if (hosts === 0 && version === '1.1' && hostOfTarget(target) === undefined) {
    throw fault(400, 'the header Host is missing; RFC 9112 wants it in HTTP/1.1');
  }
  return { ...arrival, ...pathAndQueryOf(target), body };
}
