/**
 * Reads reports in JSON, one object per line (schema/report.schema.json).
 *
 * @module
 */

import { hasMembers, parseJson } from '../../reference/values.ts';
import { DataError } from '../engine/errors.ts';
import { quoteStart } from '../engine/excerpt.ts';
import { groupByAdapter, type RecordedReport, type ReportLine } from '../engine/report/lines.ts';
import * as validators from './schema/data-validators.js';
import {
  acceptsKnownMembers,
  faultPath,
  faultText,
  isUnknownMember,
  type SchemaFault,
  type Validator,
} from './schema/fault.ts';
import { LARGEST, readText, withFile } from './user-files.ts';

const SCHEMAS: Readonly<Record<string, Validator<ReportLine>>> = {
  header: validators.reportHeader,
  adapter: validators.reportAdapter,
  outcome: validators.reportOutcome,
  fresh: validators.reportOutcome,
  forged: validators.reportForged,
  cause: validators.reportCause,
  unexplained: validators.reportUnexplained,
  footer: validators.reportFooter,
};

/** @throws UsageError if the file cannot be read, DataError if it is not a complete report */
export function readReport(path: string): RecordedReport {
  const text = withFile(
    () => readText(path, LARGEST.report),
    `the report ${JSON.stringify(path)} cannot be read`,
    'name a file that run --reporter json-lines=FILE wrote',
  );
  return parseReport(text, path);
}

function parseReport(text: string, name: string): RecordedReport {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, i) => parseLine(line, `${name}:${i + 1}`));
  const [header, last] = [lines[0], lines.at(-1)];
  if (header?.type !== 'header') {
    throw new DataError([`${name}:1: the report does not start with a header line`]);
  }
  if (last?.type !== 'footer' || last.lines !== lines.length) {
    throw new DataError([
      `${name}:${lines.length}: the report is incomplete: its last line is not a footer that counts ${lines.length} lines`,
    ]);
  }
  return { name, header, adapters: groupByAdapter(lines) };
}

function parseLine(line: string, place: string): ReportLine {
  const value = parseJsonLine(line, place);
  const type = hasMembers(value) ? String(value['type']) : '';
  const schema = Object.hasOwn(SCHEMAS, type) ? SCHEMAS[type] : undefined;
  if (!schema) {
    throw new DataError([
      `${place}: ${quoteStart(line)} is not a line of a report (schema/report.schema.json)`,
    ]);
  }
  if (acceptsKnownMembers(schema, value)) return value;
  const faults = schema.errors?.filter((fault) => !isUnknownMember(fault));
  throw lineError(faults, place, 'schema/report.schema.json');
}

/** The first fault of a line that does not follow its schema. */
export function lineError(
  faults: readonly SchemaFault[] | null | undefined,
  place: string,
  schema: string,
): DataError {
  const describe = (fault: SchemaFault): string =>
    `${place}: ${faultPath(fault).join('/') || 'the line'} ${faultText(fault)} (${schema})`;
  return new DataError((faults ?? []).slice(0, 1).map(describe));
}

/** @throws DataError if a line of a file is not JSON */
export function parseJsonLine(line: string, place: string): unknown {
  try {
    return parseJson(line);
  } catch {
    throw new DataError([`${place}: ${quoteStart(line)} is not JSON`]);
  }
}
