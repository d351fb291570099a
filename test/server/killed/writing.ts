/**
 * Writes to a server on several connections until it is killed.
 *
 * @module
 */
import type { Client } from '../../../bench/load/client.ts';
import { pick, type Random } from '../../../bench/load/random.ts';
import type { Serving } from '../../../bench/load/serving.ts';
import { createBucket, deleteBucket } from './bucket-deeds.ts';
import { copy, put, remove } from './file-deeds.ts';
import type { Deed, Entries, Lane, Situation } from './lane.ts';
import { abort, begin, finish, sendPart } from './upload-deeds.ts';

const DEEDS: readonly ((situation: Situation) => Deed | undefined)[] = [
  ...Array.from({ length: 10 }, () => put),
  ...[remove, remove, copy, copy],
  ...[createBucket, deleteBucket],
  ...[begin, sendPart, sendPart, finish, abort],
];

/** Lets lanes write until `kill.after` writes are acknowledged, then kills the server. */
export async function writeUntilKilled(
  server: Serving,
  client: Client,
  lanes: readonly Lane[],
  kill: { readonly after: number; readonly random: Random },
): Promise<number> {
  let acknowledged = 0;
  let killed: Promise<void> | undefined;
  const onDone = (): void => {
    if (++acknowledged !== kill.after) return;
    const delay = kill.random(30);
    killed = new Promise((resolve) => setTimeout(resolve, delay)).then(server.kill);
  };
  const isKilled = (): boolean => killed !== undefined;
  await Promise.all(lanes.map((lane) => write(lane, client, kill.random, onDone, isKilled)));
  await killed;
  return acknowledged;
}

async function write(
  lane: Lane,
  client: Client,
  random: Random,
  onDone: () => void,
  isKilled: () => boolean,
): Promise<void> {
  for (;;) {
    const deed = nextDeed({ lane: lane.number, now: lane.was, random });
    lane.becomes = deed.becomes;
    try {
      lane.was = await done(deed, client);
    } catch (error) {
      if (isKilled()) return;
      throw error;
    }
    delete lane.becomes;
    onDone();
  }
}

function nextDeed(situation: Situation): Deed {
  for (;;) {
    const deed = pick(DEEDS, situation.random)(situation);
    if (deed) return deed;
  }
}

/** Performs an operation; returns the entries after it, with the id of a new upload. */
async function done({ becomes, act }: Deed, client: Client): Promise<Entries> {
  const { status, bytes } = await act(client);
  if (status !== 200 && status !== 204) throw new Error(`${status}: ${bytes.toString('utf8')}`);
  const { upload } = becomes;
  if (!upload || upload.id !== undefined) return becomes;
  const { UploadId: id } = JSON.parse(bytes.toString('utf8'));
  return { ...becomes, upload: { ...upload, id } };
}
