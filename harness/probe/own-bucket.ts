/**
 * A bucket that is there for the probe and gone with it.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { excerpt } from '../adapter/messages.ts';
import { UsageError } from '../errors.ts';
import { isRefused, answerTo as rightAnswer } from '../rederive/answer.ts';
import { replyOf } from './reply.ts';
import { answerTo, type NoAnswer, type WireAnswer } from './sending.ts';
import type { Server } from './server.ts';
import { asking } from './wire-request.ts';

export interface Bucket {
  readonly name: string;
  /** What the server's clock says, in Unix seconds; nothing where it does not tell. */
  readonly now: number | undefined;
  /** By how many seconds it is ahead of the clock of this machine. */
  readonly ahead: number;
  /** Takes it away with all that the probe has left there; a sentence where it stays. */
  readonly remove: () => Promise<string | undefined>;
}

const KEPT = async (): Promise<undefined> => undefined;

/** The bucket that is named, or one that is made. */
export async function probedBucket(server: Server, named: string | undefined): Promise<Bucket> {
  const name = named ?? `svc-conformance-probe-${randomBytes(4).toString('hex')}`;
  const first = await (named === undefined
    ? acted(server, 'CreateBucket', [
        ['BucketName', name],
        ['Region', 'cn-bj'],
        ['Type', 'private'],
      ])
    : listed(server, name, ''));
  const now = 'kind' in first ? undefined : momentOf(first.headers.date);
  const ahead = now === undefined ? 0 : now - Math.floor(Date.now() / 1000);
  const known = { name, now, ahead };
  const reply = replyOf(first, server.keys.publicKey, () => false);
  // Whoever refuses or breaks over the simplest request does so over the next ones, and is told that.
  if ('kind' in first || reply.kind !== 'result') return { ...known, remove: KEPT };
  refuseMissing(first, named);
  return { ...known, remove: named === undefined ? () => removed(server, name) : KEPT };
}

function momentOf(date: string | undefined): number | undefined {
  const moment = Date.parse(date ?? '');
  return Number.isNaN(moment) ? undefined : Math.floor(moment / 1000);
}

/** Where there is no bucket, a server says so of everything, and nothing is learnt. */
function refuseMissing(first: WireAnswer, named: string | undefined): void {
  if (isDone(first)) return;
  const answered = `was answered ${first.status} ${excerpt(first.body)}`;
  throw new UsageError(
    named === undefined
      ? `CreateBucket ${answered}, so there is no bucket to ask about; make one and name it by --bucket NAME`
      : `a listing of the bucket ${JSON.stringify(named)} ${answered}; name a private bucket of this key pair`,
  );
}

function isDone({ status, body }: WireAnswer): boolean {
  const code = /"Ret[Cc]ode"\s*:\s*(-?[0-9]+)/.exec(body)?.[1] ?? '0';
  return status < 300 && Number(code) === 0;
}

type Parameters = readonly (readonly [string, string])[];

/** Bucket management as §4.1 has it. */
function acted(server: Server, action: string, more: Parameters): Promise<WireAnswer | NoAnswer> {
  const parameters = [['Action', action], ...more, ['PublicKey', server.keys.publicKey]];
  const { target } = signed(server, 'bucket-request', { parameters });
  const query = String(target).slice('/?'.length);
  return sentOff(server, '', 'verify-query', { query });
}

/** A file request as §5.2 has it. */
function filed(
  server: Server,
  bucket: string,
  method: string,
  key: string,
  query = '',
): Promise<WireAnswer | NoAnswer> {
  const request = { method, bucket, key, headers: [] };
  const { authorization } = signed(server, 'authorization', request);
  const headers = [['Authorization', authorization]];
  return sentOff(server, bucket, 'verify-authorization', { ...request, headers }, query);
}

function listed(server: Server, bucket: string, marker: string): Promise<WireAnswer | NoAnswer> {
  const query = `&prefix=&marker=${encodeURIComponent(marker)}&limit=100`;
  return filed(server, bucket, 'GET', '', query);
}

type Members = Readonly<Record<string, unknown>>;

function signed(server: Server, operation: string, input: Members): Members {
  const answer = rightAnswer({ operation, input, keys: server.keys }, server.dialect);
  if (isRefused(answer)) throw new UsageError(`nothing can be asked: ${answer.message}`);
  return answer;
}

function sentOff(
  server: Server,
  bucket: string,
  operation: string,
  input: Members,
  query = '',
): Promise<WireAnswer | NoAnswer> {
  const asked = asking({ operation, input, keys: server.keys }, server, bucket);
  if ('unasked' in asked) throw new Error(`${operation} cannot be sent: ${asked.unasked}`);
  const { request } = asked;
  return answerTo({ ...request, target: request.target + query }, server);
}

/** So many listings empty any bucket that a probe has filled. */
const MOST_LISTINGS = 50;

async function removed(server: Server, bucket: string): Promise<string | undefined> {
  for (let i = 0; i < MOST_LISTINGS; i += 1) {
    const keys = keysIn(await listed(server, bucket, ''));
    if (keys.length === 0) break;
    await Promise.all(keys.map((key) => filed(server, bucket, 'DELETE', key)));
  }
  const last = await acted(server, 'DeleteBucket', [['BucketName', bucket]]);
  if (!('kind' in last) && isDone(last)) return undefined;
  const how = 'kind' in last ? last.message : `answered ${last.status} ${excerpt(last.body)}`;
  return `the bucket ${bucket} is still there, DeleteBucket ended so: ${how}; remove it`;
}

function keysIn(answer: WireAnswer | NoAnswer): readonly string[] {
  try {
    const { DataSet = [] } = JSON.parse('body' in answer ? answer.body : '') as {
      readonly DataSet?: readonly { readonly FileName?: string }[];
    };
    return DataSet.flatMap(({ FileName }) => FileName ?? []);
  } catch {
    return [];
  }
}
