/**
 * Judges a client's request, as if the client had answered a vector.
 *
 * @module
 */
import { FILE_ERRORS } from '../../../reference/server/messages/errors.ts';
import type { Exchange } from '../../../reference/server/messages/exchange.ts';
import type { Judgement } from '../../../reference/server/messages/judgement.ts';
import { type Difference, sharedPrefixLength } from '../../engine/judge/comparison.ts';
import type { Verdict } from '../../engine/judge/judge.ts';
import type { Outcome } from '../../engine/judge/outcome.ts';
import { formatStatus, type SentRequest } from '../../engine/sent-request.ts';
import type { KeyPair, Level, Stages } from '../../engine/vector.ts';
import type { ClientRequest, RequestSignature } from './client-request.ts';
import { findSignatureFault } from './refusals.ts';

/** Judges a request by its signature and its form, even if the server is lenient and accepts it. */
export function judgeRequest(
  request: ClientRequest,
  keys: KeyPair,
  levels: ReadonlyMap<string, Level>,
): Outcome {
  const { id, operation, exchange, signature } = request;
  const sent = toSentRequest(request);
  const stages = (text: string | undefined): Stages =>
    signature && text !== undefined ? { [comparedStage(signature)]: text } : {};
  const { host, target, method, headers } = exchange;
  return {
    vector: {
      id,
      operation,
      ...selectRules(request, levels),
      why: `${method} ${sent.url} was answered ${formatStatus(sent)}`,
      source: 'the client',
      keys,
      input: { method, host, target, headers },
      expect: stages(signature?.right.written),
    },
    verdict: judge(request),
    reply: { kind: 'result', result: stages(signature?.subject.sent.written), trace: {} },
    sent,
  };
}

/** Selects the rules that a request breaks, with the most binding of their levels; for a correct request, the rule that it meets. */
function selectRules(
  { exchange, signature }: ClientRequest,
  levels: ReadonlyMap<string, Level>,
): Pick<Outcome['vector'], 'rules' | 'level'> {
  const [first, ...others] = signature?.faults.map(({ rule }) => rule) ?? [];
  if (first === undefined || findSignatureFault(exchange)) {
    return { rules: ['5/match-accepted'], level: 'must' };
  }
  const rules = [...new Set([first, ...others])];
  const isMust = rules.some((rule) => (levels.get(rule) ?? 'must') === 'must');
  return { rules, level: isMust ? 'must' : (levels.get(first) ?? 'must') };
}

function toSentRequest({ exchange, signature }: ClientRequest): SentRequest {
  const { method, host, target, status, code, judgement } = exchange;
  const url = target.startsWith('/') ? `http://${host}${target}` : target;
  return {
    method,
    url,
    status,
    code,
    ...describeSignature(judgement),
    lines: signature?.lines ?? [],
  };
}

function describeSignature(
  judgement: Judgement | undefined,
): Pick<SentRequest, 'signedIn' | 'publicKey' | 'vendorText'> {
  if (!judgement || judgement.kind === 'unsigned') return {};
  const { signedIn, publicKey } = judgement;
  const vendorText = judgement.kind === 'right' ? judgement.vendorText : undefined;
  return {
    signedIn,
    ...(publicKey !== undefined && { publicKey }),
    ...(vendorText !== undefined && { vendorText }),
  };
}

/** The stage that is compared. */
function comparedStage({ subject }: RequestSignature): string {
  return subject.kind === 'header' || subject.kind === 'form' ? 'authorization' : 'signature';
}

function findDifference(signature: RequestSignature): Difference | undefined {
  const [expected, actual] = [signature.right.written, signature.subject.sent.written];
  if (expected === actual) return undefined;
  return {
    stage: comparedStage(signature),
    expected,
    actual,
    at: sharedPrefixLength(expected, actual),
  };
}

function judge({ exchange, signature }: ClientRequest): Verdict {
  const { judgement, status } = exchange;
  const refusal = findSignatureFault(exchange);
  if (refusal) {
    const difference = signature && findDifference(signature);
    return { status: 'fail', message: refusal.message, ...(difference && { difference }) };
  }
  if (signature && signature.faults.length > 0) {
    return { status: 'fail', message: describeFormFaults(signature) };
  }
  if (status === FILE_ERRORS.notImplemented.status) {
    return { status: 'unimplemented', message: exchange.message ?? '' };
  }
  if (judgement?.kind === 'right') return { status: 'pass', message: '' };
  return judgeUnsigned(exchange);
}

function describeFormFaults({ faults }: RequestSignature): string {
  const sentences = faults.map(({ rule, explanations: [one] }) =>
    one ? `${one.faults.map(({ cause }) => cause).join('; and ')} (${rule})` : rule,
  );
  return `the signature is correct, but ${sentences.join('; and ')}`;
}

/** Judges a request whose signature the server did not check. */
function judgeUnsigned({ operation, judgement, status, code, message = '' }: Exchange): Verdict {
  if (status === FILE_ERRORS.foreignHost.status) return { status: 'foreign', message };
  if (code === FILE_ERRORS.bucketUnknown.code) {
    return { status: 'unjudged', message: `${message}; create it, or start with --bucket NAME` };
  }
  if (judgement?.kind === 'unsigned' || (operation !== undefined && status < 400)) {
    return { status: 'unsigned', message };
  }
  return { status: operation === undefined && status === 400 ? 'garbage' : 'unjudged', message };
}
