/**
 * Whether what is held and what the records name are the same.
 *
 * @module
 */
import type { Contents } from './contents.ts';
import { everyObject, everyPart } from './record-names.ts';
import type { Records } from './records.ts';
import type { Part, StoredObject } from './store.ts';

interface Sized {
  readonly id: string;
  readonly size: number;
}

interface Named extends Sized {
  readonly owner: string;
}

/** What became of a content that was stored whole; nothing where it is as it was. */
export async function damageOf(
  { id, size }: Sized,
  contents: Contents,
): Promise<string | undefined> {
  const found = await contents.size(id);
  if (found === size) return undefined;
  return found === undefined
    ? `content ${id} is missing`
    : `content ${id} has ${found} bytes; it was stored with ${size}`;
}

/** Removes contents that no record names: what was under way when the process ended. */
export async function sweep(records: Records, contents: Contents): Promise<void> {
  const named = new Set<string>();
  for await (const { id } of namedContents(records)) named.add(id);
  for (const name of await contents.names()) if (!named.has(name)) await contents.remove(name);
}

/** Each difference in a sentence; only in a quiet moment, for what is under way is a difference too. */
export async function faultsOf(records: Records, contents: Contents): Promise<readonly string[]> {
  const faults: string[] = [];
  const named = new Set<string>();
  for await (const { owner, ...content } of namedContents(records)) {
    named.add(content.id);
    const damage = await damageOf(content, contents);
    if (damage !== undefined) faults.push(`${owner}: ${damage}`);
  }
  for (const name of await contents.names()) {
    if (!named.has(name)) faults.push(`${JSON.stringify(name)} is held for nothing`);
  }
  return faults;
}

async function* namedContents(records: Records): AsyncGenerator<Named> {
  for await (const { bucket, key, contents } of records.walk<StoredObject>(everyObject())) {
    const owner = `file ${JSON.stringify(key)} in bucket ${JSON.stringify(bucket)}`;
    for (const { id, size } of contents) yield { id, size, owner };
  }
  for await (const { number, content } of records.walk<Part>(everyPart())) {
    yield { ...content, owner: `part ${number} of an upload` };
  }
}
