/**
 * The bucket of a probe: the one that the user names, or one that is created and deleted again.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { hasMembers, isList, isText, parseJsonIfValid } from '../../../reference/values.ts';
import { computeAnswer, isRefused } from '../../engine/answer.ts';
import { UsageError } from '../../engine/errors.ts';
import { quoteStart } from '../../engine/excerpt.ts';
import type { Input, Stages } from '../../engine/vector.ts';
import { type NoResponse, type Response, sendRequest, toReply } from './connection.ts';
import type { Server } from './server.ts';
import { toWireRequest } from './wire-request.ts';

export interface Bucket {
  readonly name: string;
  /** The time of the server's clock in Unix seconds; undefined if the server sends no Date. */
  readonly now: number | undefined;
  /** How many seconds the server's clock is ahead of the clock of this machine. */
  readonly ahead: number;
  /** Deletes a created bucket with everything in it, and returns a sentence if that fails. */
  readonly remove: () => Promise<string | undefined>;
}

const keep = async (): Promise<undefined> => undefined;

/** Lists the named bucket, or creates one. @throws UsageError if there is no bucket then */
export async function openBucket(server: Server, named: string | undefined): Promise<Bucket> {
  const name = named ?? `svc-conformance-probe-${randomBytes(4).toString('hex')}`;
  const first = await (named === undefined
    ? sendAction(server, 'CreateBucket', [
        ['BucketName', name],
        ['Region', 'cn-bj'],
        ['Type', 'private'],
      ])
    : listFiles(server, name));
  const now = 'kind' in first ? undefined : parseDate(first.headers.date);
  const ahead = now === undefined ? 0 : now - Math.floor(Date.now() / 1000);
  const bucket = { name, now, ahead };
  const reply = toReply(first, server.keys.publicKey, () => false);
  // A server that refuses the simplest request, or breaks on it, is probed all the same: the report shows the reason.
  if ('kind' in first || reply.kind !== 'result') return { ...bucket, remove: keep };
  checkBucketExists(first, named);
  return { ...bucket, remove: named === undefined ? () => removeBucket(server, name) : keep };
}

function parseDate(date: string | undefined): number | undefined {
  const time = Date.parse(date ?? '');
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

/** Without a bucket, a server would answer every file request in the same way. */
function checkBucketExists(first: Response, named: string | undefined): void {
  if (isSuccess(first)) return;
  const answered = `was answered ${first.status} ${quoteStart(first.body)}`;
  throw new UsageError(
    named === undefined
      ? `CreateBucket ${answered}, so the probe has no bucket; create one and pass --bucket NAME`
      : `a listing of the bucket ${JSON.stringify(named)} ${answered}; name a private bucket of this key pair`,
  );
}

function isSuccess({ status, body }: Response): boolean {
  const code = /"Ret[Cc]ode"\s*:\s*(-?[0-9]+)/.exec(body)?.[1] ?? '0';
  return status < 300 && Number(code) === 0;
}

type Parameters = readonly (readonly [string, string])[];

/** Sends an action of bucket management (§4.1). */
function sendAction(
  server: Server,
  action: string,
  more: Parameters,
): Promise<Response | NoResponse> {
  const parameters: Parameters = [
    ['Action', action],
    ...more,
    ['PublicKey', server.keys.publicKey],
  ];
  const { target } = sign(server, 'bucket-request', { parameters });
  const query = String(target).slice('/?'.length);
  return send(server, '', 'verify-query', { query });
}

/** Sends a file request (§5.2). */
function sendFileRequest(
  server: Server,
  bucket: string,
  method: string,
  key: string,
  query = '',
): Promise<Response | NoResponse> {
  const request = { method, bucket, key, headers: [] };
  const { authorization } = sign(server, 'authorization', request);
  const headers: Parameters = [['Authorization', String(authorization)]];
  return send(server, bucket, 'verify-authorization', { ...request, headers }, query);
}

function listFiles(server: Server, bucket: string): Promise<Response | NoResponse> {
  return sendFileRequest(server, bucket, 'GET', '', '&prefix=&marker=&limit=100');
}

function sign(server: Server, operation: string, input: Input): Stages {
  const answer = computeAnswer({ operation, input, keys: server.keys }, server.dialect);
  if (isRefused(answer)) throw new UsageError(`the probe cannot start: ${answer.message}`);
  return answer;
}

function send(
  server: Server,
  bucket: string,
  operation: string,
  input: Input,
  query = '',
): Promise<Response | NoResponse> {
  const conversion = toWireRequest({ operation, input, keys: server.keys }, server, bucket);
  if ('obstacle' in conversion) {
    throw new Error(`${operation} cannot be sent: ${conversion.obstacle}`);
  }
  const { request } = conversion;
  return sendRequest({ ...request, target: request.target + query }, server);
}

/** More listings than any probe needs to delete the files that it has written. */
const MOST_LISTINGS = 50;

async function removeBucket(server: Server, bucket: string): Promise<string | undefined> {
  for (let i = 0; i < MOST_LISTINGS; i += 1) {
    const keys = parseKeys(await listFiles(server, bucket));
    if (keys.length === 0) break;
    await Promise.all(keys.map((key) => sendFileRequest(server, bucket, 'DELETE', key)));
  }
  const last = await sendAction(server, 'DeleteBucket', [['BucketName', bucket]]);
  if (!('kind' in last) && isSuccess(last)) return undefined;
  const how = 'kind' in last ? last.message : `answered ${last.status} ${quoteStart(last.body)}`;
  return `the bucket ${bucket} could not be deleted, DeleteBucket failed: ${how}; delete it yourself`;
}

function parseKeys(response: Response | NoResponse): readonly string[] {
  const list = parseJsonIfValid('body' in response ? response.body : '');
  if (!hasMembers(list) || !isList(list['DataSet'])) return [];
  return list['DataSet'].map((file) => hasMembers(file) && file['FileName']).filter(isText);
}
