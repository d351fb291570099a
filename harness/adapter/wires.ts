/**
 * The wire forms by the names that `--wire` and adapter.json give them.
 *
 * @module
 */
import { UsageError } from '../errors.ts';
import { jsonWire } from './wire/json.ts';
import type { Wire } from './wire/wire.ts';

export async function wireNamed(name: string): Promise<Wire> {
  if (name === 'json') return jsonWire;
  if (name === 'tabs') return (await import('./wire/tabs.ts')).tabsWire;
  throw new UsageError(`--wire ${JSON.stringify(name)} is no wire form; there are json and tabs`);
}
