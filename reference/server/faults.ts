/**
 * Faults and delays on purpose, so that clients can be tested against a service that fails.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { mulberry32 } from '../random.ts';
import { corsHeaders } from './files/operations.ts';
import { errorAnswer, httpError } from './messages/errors.ts';
import type { Outcome, WireRequest } from './messages/exchange.ts';
import { type Address, hostName } from './messages/hosts.ts';

export interface FaultRule {
  /** Such as `PUT`; `*` for any. */
  readonly method: string;
  /** A path such as `/logs/*`, or a host with a path such as `demo.*`; each `*` stands for any characters. */
  readonly pattern: string;
  /** What happens: an answer of this status from 400 to 599, or a delay in milliseconds. */
  readonly effect: { readonly status: number } | { readonly delay: number };
  /** The share of the requests that it happens to, above 0 and up to 1; 1 by default. */
  readonly share?: number;
}

/** Rules draw numbers of their own, the same ones after each start. */
export class Faults {
  readonly #rules: readonly FaultRule[];
  #draws: readonly (() => number)[] = [];

  constructor(rules: readonly FaultRule[]) {
    this.#rules = rules;
    this.restart();
  }

  restart(): void {
    this.#draws = this.#rules.map((_, at) => mulberry32(Math.imul(at + 1, 0x9e3779b9)));
  }

  /** Waits as long as the rules say. Resolves to the answer of the first rule that fails the request. */
  async meet(address: Address, wire: WireRequest): Promise<Outcome | undefined> {
    if (address.kind === 'built-in page') return undefined;
    for (const [at, rule] of this.#rules.entries()) {
      const { effect, share = 1 } = rule;
      if (!concerns(rule, wire) || (this.#draws[at]?.() ?? 0) >= share) continue;
      if ('status' in effect) return failedOutcome(rule, effect.status, address, wire);
      await sleep(effect.delay, undefined, { ref: false });
    }
    return undefined;
  }
}

function concerns({ method, pattern }: FaultRule, wire: WireRequest): boolean {
  if (method !== '*' && method !== wire.method) return false;
  const text = pattern.startsWith('/') ? wire.path : hostName(wire.host) + wire.path;
  return matchesPattern(text, pattern);
}

/** In linear time: each part is looked for behind the one before. */
function matchesPattern(text: string, pattern: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}

function failedOutcome(
  rule: FaultRule,
  status: number,
  address: Address,
  wire: WireRequest,
): Outcome {
  const { method, pattern, share } = rule;
  const text = [method, pattern, status, ...(share === undefined ? [] : [share])].join(' ');
  const error = httpError(status, `a fault on purpose: ${text}`, false);
  // The form of the account API names the action, but the request is not read.
  const form = address.kind === 'actions' ? { action: '' } : wire;
  const { answer, message } = errorAnswer(error, form);
  const headers = [
    ...answer.headers,
    ['X-Svc-Conformance-Fault', text] as const,
    ...corsHeaders(wire),
  ];
  return {
    answer: { ...answer, headers },
    message,
    operation: 'fault',
    ...(address.kind === 'bucket' && { bucket: address.bucket }),
  };
}
