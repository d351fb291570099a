/**
 * What became of a client's request, as the outcome of a vector that the client made up itself.
 *
 * @module
 */
import { FILE_ERRORS } from '../../reference/server/errors.ts';
import type { Exchange } from '../../reference/server/exchange.ts';
import type { Judgement } from '../../reference/server/judgement.ts';
import { type Difference, sharedStart } from '../judge/difference.ts';
import type { Verdict } from '../judge/judge.ts';
import type { Outcome } from '../run.ts';
import type { KeyPair, Level, Stages } from '../suite/vector.ts';
import type { ClientRequest, RequestSignature } from './client-request.ts';
import { signatureFault } from './refusals.ts';
import type { SentRequest } from './sent-request.ts';

/** Judges a request by its signature and by the form in which it is sent; what the server accepts does not count. */
export function outcomeOf(
  request: ClientRequest,
  keys: KeyPair,
  levels: ReadonlyMap<string, Level>,
): Outcome {
  const { id, operation, exchange, signature } = request;
  const sent = sentRequest(request);
  const written = (text: string | undefined): Stages =>
    signature && text !== undefined ? { [stageOf(signature)]: text } : {};
  const { host, target, method, headers } = exchange;
  return {
    vector: {
      id,
      operation,
      ...rulesOf(request, levels),
      why: `${method} ${sent.url} was answered ${answerText(sent)}`,
      source: 'the client',
      keys,
      input: { method, host, target, headers },
      expect: written(signature?.right.written),
    },
    verdict: verdictOf(request),
    reply: { kind: 'result', result: written(signature?.subject.sent.written), trace: {} },
    sent,
  };
}

/** The rules that a request breaks, with the gravest of their levels; of one that is right, the rule that it keeps. */
function rulesOf(
  { exchange, signature }: ClientRequest,
  levels: ReadonlyMap<string, Level>,
): Pick<Outcome['vector'], 'rules' | 'level'> {
  const [first, ...others] = signature?.faults.map(({ rule }) => rule) ?? [];
  if (first === undefined || signatureFault(exchange)) {
    return { rules: ['5/match-accepted'], level: 'must' };
  }
  const rules = [...new Set([first, ...others])];
  const isMust = rules.some((rule) => (levels.get(rule) ?? 'must') === 'must');
  return { rules, level: isMust ? 'must' : (levels.get(first) ?? 'must') };
}

/** Status and code, where there is one. */
export function answerText({ status, code }: Pick<SentRequest, 'status' | 'code'>): string {
  return code === 0 ? `${status}` : `${status} ${code}`;
}

function sentRequest({ exchange, signature }: ClientRequest): SentRequest {
  const { method, host, target, status, code, judgement } = exchange;
  const url = target.startsWith('/') ? `http://${host}${target}` : target;
  return {
    method,
    url,
    status,
    code,
    ...signedMembers(judgement),
    lines: signature?.lines ?? [],
  };
}

function signedMembers(
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

/** What of the request is compared, by the name of its stage. */
function stageOf({ subject }: RequestSignature): string {
  return subject.kind === 'header' || subject.kind === 'form' ? 'authorization' : 'signature';
}

function differenceIn(signature: RequestSignature): Difference | undefined {
  const [expected, actual] = [signature.right.written, signature.subject.sent.written];
  if (expected === actual) return undefined;
  return { stage: stageOf(signature), expected, actual, at: sharedStart(expected, actual) };
}

function verdictOf({ exchange, signature }: ClientRequest): Verdict {
  const { judgement, status } = exchange;
  const refusal = signatureFault(exchange);
  if (refusal) {
    const difference = signature && differenceIn(signature);
    return { status: 'fail', message: refusal.message, ...(difference && { difference }) };
  }
  if (signature && signature.faults.length > 0) {
    return { status: 'fail', message: formMessage(signature) };
  }
  if (status === FILE_ERRORS.notImplemented.status) {
    return { status: 'unimplemented', message: exchange.message ?? '' };
  }
  if (judgement?.kind === 'right') return { status: 'pass', message: '' };
  return unsignedVerdict(exchange);
}

/** What is wrong about the form, and what the rules are. */
function formMessage({ faults }: RequestSignature): string {
  const sentences = faults.map(({ rule, explanations: [one] }) =>
    one ? `${one.faults.map(({ cause }) => cause).join('; and ')} (${rule})` : rule,
  );
  return `the signature is right, but ${sentences.join('; and ')}`;
}

/** Of a request whose signature was not looked at. */
function unsignedVerdict({ operation, judgement, status, code, message = '' }: Exchange): Verdict {
  if (status === FILE_ERRORS.foreignHost.status) return { status: 'foreign', message };
  if (code === FILE_ERRORS.bucketUnknown.code) {
    return { status: 'unjudged', message: `${message}; create it, or start with --bucket NAME` };
  }
  if (judgement?.kind === 'unsigned' || (operation !== undefined && status < 400)) {
    return { status: 'unsigned', message };
  }
  return { status: operation === undefined && status === 400 ? 'garbage' : 'unjudged', message };
}
