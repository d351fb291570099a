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

/** The names of what is held and no record names. */
export async function unnamed(records: Records, contents: Contents): Promise<readonly string[]> {
  const named = new Set<string>();
  for await (const { id } of namedContents(records)) named.add(id);
  return (await contents.names()).filter((name) => !named.has(name));
}

/** Each difference in a sentence; only in a quiet moment, for what is under way is a difference too. */
export async function faultsOf(records: Records, contents: Contents): Promise<readonly string[]> {
  const faults: string[] = [];
  for await (const { owner, ...content } of namedContents(records)) {
    const damage = await damageOf(content, contents);
    if (damage !== undefined) faults.push(`${owner}: ${damage}`);
  }
  const others = await unnamed(records, contents);
  return [...faults, ...others.map((name) => `${JSON.stringify(name)} is held for nothing`)];
}

/** Reads all that records name: what is damaged, each in a sentence. */
export async function damagedContents(
  records: Records,
  contents: Contents,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for await (const { owner, ...content } of namedContents(records)) {
    const damage = (await damageOf(content, contents)) ?? (await changed(content, contents));
    if (damage !== undefined) faults.push(`${owner}: ${damage}`);
  }
  return faults;
}

async function changed({ id, size }: Sized, contents: Contents): Promise<string | undefined> {
  try {
    for await (const _ of contents.pieces(id, 0, size));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
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
