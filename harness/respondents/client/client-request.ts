/**
 * The requests of a client, each with its signature, if it has one, and its verdict, as if the client had answered a vector.
 *
 * @module
 */
import { FILE_ERRORS } from '../../../reference/server/messages/errors.ts';
import type { Exchange } from '../../../reference/server/messages/exchange.ts';
import { type Dialect, inDialect, type KeyPair } from '../../../reference/signing/index.ts';
import type { FoundCause } from '../../engine/diagnosis/diagnose.ts';
import {
  findRefusalRule,
  listSignedLines,
  type Signature,
  type SignedRequest,
  signRequest,
} from '../../engine/explain/signed-request.ts';
import { type Difference, sharedPrefixLength } from '../../engine/judge/comparison.ts';
import type { Verdict } from '../../engine/judge/judge.ts';
import type { Outcome } from '../../engine/judge/outcome.ts';
import { formatStatus, type SentRequest, type SignedLine } from '../../engine/sent-request.ts';
import type { Level, Stages } from '../../engine/vector.ts';
import { toSignedRequest } from '../serve/diagnosis.ts';
import { type FormFault, findFormFaults } from './request-form.ts';

export interface ClientRequest {
  /** The operation and a number, such as `PutFile/1`. */
  readonly id: string;
  readonly operation: string;
  readonly exchange: Exchange;
  /** Absent if the request is not signed, or its signed text cannot be determined. */
  readonly signature?: RequestSignature;
}

export interface RequestSignature {
  readonly subject: SignedRequest;
  /** The server's private key with the public key that the request names. */
  readonly keys: KeyPair;
  readonly right: Signature;
  readonly lines: readonly SignedLine[];
  /** The rules that the form of the request breaks, even if its signature is correct. */
  readonly faults: readonly FormFault[];
}

/** The name of requests without an operation. */
const NO_OPERATION = 'request';

/** In characters. */
const LONGEST_NAME = 60;

/** Converts exchanges to requests, in the order of their arrival, without those for the server's built-in pages. */
export function toClientRequests(
  exchanges: readonly Exchange[],
  keys: KeyPair,
  dialect: Dialect,
): readonly ClientRequest[] {
  const counts = new Map<string, number>();
  return exchanges
    .filter((exchange) => !isBuiltInPage(exchange))
    .toSorted((a, b) => a.arrived - b.arrived)
    .map((exchange) => {
      const operation = operationName(exchange);
      const number = (counts.get(operation) ?? 0) + 1;
      counts.set(operation, number);
      const signature = readSignature(exchange, keys, dialect);
      return { id: `${operation}/${number}`, operation, exchange, ...(signature && { signature }) };
    });
}

/** Makes one word of the name, because a client can put any text into an action's name. */
function operationName({ operation = NO_OPERATION }: Exchange): string {
  return operation.replace(/[^\w.-]+/g, '-').slice(0, LONGEST_NAME);
}

/** Whether the request is for a page of the server itself, such as its health check. */
function isBuiltInPage({ operation, judgement, status }: Exchange): boolean {
  return operation === undefined && judgement === undefined && status < 300;
}

function readSignature(
  { judgement }: Exchange,
  { publicKey, privateKey }: KeyPair,
  dialect: Dialect,
): RequestSignature | undefined {
  if (!judgement || judgement.kind === 'unsigned' || !judgement.request) return undefined;
  const { request } = judgement;
  const context = inDialect(dialect);
  try {
    const subject = toSignedRequest(request, dialect);
    const keys = { publicKey: subject.sent.publicKey ?? publicKey, privateKey };
    return {
      subject,
      keys,
      right: signRequest(subject, keys, context),
      lines: listSignedLines(subject, context),
      faults: findFormFaults(subject, request),
    };
  } catch {
    // The request has no signature, or §5 defines no signed text for it. The message of the refusal is enough.
    return undefined;
  }
}

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
  const sent = { method, url, status, code, lines: signature?.lines ?? [] };
  if (!judgement || judgement.kind === 'unsigned') return sent;
  const { signedIn, publicKey } = judgement;
  const vendorText = judgement.kind === 'right' ? judgement.vendorText : undefined;
  return {
    ...sent,
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
  const at = sharedPrefixLength(expected, actual);
  return { stage: comparedStage(signature), expected, actual, at };
}

function judge({ exchange, signature }: ClientRequest): Verdict {
  const { judgement, status } = exchange;
  const refusal = findSignatureFault(exchange);
  if (refusal) {
    const difference = signature && findDifference(signature);
    return { status: 'fail', message: refusal.message, ...(difference && { difference }) };
  }
  if (signature && signature.faults.length > 0) {
    const wrong = signature.faults.map(({ rule, causes: [cause] }) => `${cause.wrong} (${rule})`);
    return { status: 'fail', message: `the signature is correct, but ${wrong.join('; and ')}` };
  }
  if (status === FILE_ERRORS.notImplemented.status) {
    return { status: 'unimplemented', message: exchange.message ?? '' };
  }
  if (judgement?.kind === 'right') return { status: 'pass', message: '' };
  return judgeUnsigned(exchange);
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

export interface Refusal {
  readonly reason: string;
  /** One sentence: what is wrong, the observed value, the rule, and after the last semicolon the fix. */
  readonly message: string;
}

const MISSING: Refusal = {
  reason: 'signature-missing',
  message:
    'the request has no signature, and only reads of a public bucket need none; sign the request (§5.2), or start the server with --bucket NAME:public',
};

/** Finds why a request was refused for its signature, or for a missing one; undefined otherwise. */
function findRefusal({ judgement, code }: Exchange): Refusal | undefined {
  if (judgement?.kind === 'wrong') return judgement;
  return code === FILE_ERRORS.signatureMissing.code ? MISSING : undefined;
}

/** Finds why the signature is not that of the specification, even if the server accepts it. */
export function findSignatureFault(exchange: Exchange): Refusal | undefined {
  const { judgement } = exchange;
  if (judgement?.kind !== 'right' || judgement.vendorText === undefined)
    return findRefusal(exchange);
  return {
    reason: 'vendor-text',
    message: `the signed text is ${judgement.vendorText}, which published SDKs sign and the service accepts; it is not the text of the specification`,
  };
}

/** Reasons that do not tell the cause. */
const UNSPECIFIC: readonly string[] = ['signature-mismatch', 'vendor-text'];

/** Finds one cause for each reason. */
export function findRefusalCauses(requests: readonly ClientRequest[]): readonly FoundCause[] {
  const byReason = new Map<string, FoundCause>();
  for (const { id, exchange } of requests) {
    const refusal = findRefusal(exchange);
    if (!refusal || UNSPECIFIC.includes(refusal.reason)) continue;
    const isUrl = exchange.judgement?.kind === 'wrong' && exchange.judgement.signedIn === 'url';
    const { mistake = toCause(refusal, isUrl), explains = [] } = byReason.get(refusal.reason) ?? {};
    const found = {
      mistake,
      confidence: 'exact',
      others: [],
      explains: [...explains, id],
    } as const;
    byReason.set(refusal.reason, found);
  }
  return [...byReason.values()];
}

/** A cause without steps, because no step of the specification goes wrong. */
function toCause({ reason, message }: Refusal, isUrl: boolean): FoundCause['mistake'] {
  const end = message.lastIndexOf('; ');
  const rule = findRefusalRule(reason, message, isUrl) ?? '5/mismatch-refused';
  return end < 0
    ? { id: reason, rule, wrong: message, fix: 'send the request as the rule says' }
    : { id: reason, rule, wrong: message.slice(0, end), fix: message.slice(end + 2) };
}
