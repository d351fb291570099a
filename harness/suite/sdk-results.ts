/**
 * The file of results of a published SDK, beside its adapter.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SdkResults } from '../engine/report/sdk-results.ts';
import { lineError, parseJsonLine } from './report-file.ts';
import * as validators from './schema/data-validators.js';
import type { Validator } from './schema/fault.ts';

const FILE = 'results.jsonl';

/** The path of the results in the folder of an adapter. */
export const resultsPath = (folder: string): string => join(folder, FILE);

/**
 * Reads the results of the SDK whose adapter is in a folder. Returns undefined before the first results.
 *
 * @throws DataError if the file does not follow its schema
 */
export function readSdkResults(folder: string): SdkResults | undefined {
  const path = resultsPath(folder);
  if (!existsSync(path)) return undefined;
  const [first = '', ...rest] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const sdk = readLine(first, `${path}:1`, validators.resultsSdk);
  const results = rest.map((line, i) =>
    readLine(line, `${path}:${i + 2}`, validators.resultsVector),
  );
  return { ...sdk, results };
}

function readLine<Shape>(line: string, place: string, schema: Validator<Shape>): Shape {
  const value = parseJsonLine(line, place);
  if (schema(value)) return value;
  throw lineError(schema.errors, place, 'schema/results.schema.json');
}
