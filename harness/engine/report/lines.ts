/**
 * The lines of a JSON-lines report (schema/report.schema.json).
 *
 * @module
 */
import type { Insight } from '../insight/insight.ts';
import type { Difference } from '../judge/comparison.ts';
import type { Status } from '../judge/judge.ts';
import type { Implementation } from '../protocol.ts';
import type { Selection, Shard } from '../select.ts';
import type { Input, KeyPair, Level } from '../vector.ts';

export interface SubjectLine {
  readonly name: string;
  readonly dialect: string;
  readonly kind?: 'server' | 'client';
  readonly command?: readonly string[];
  readonly wire?: string;
}

export interface HeaderLine {
  readonly type: 'header';
  readonly suite: string;
  readonly vectors: number;
  readonly selection: Selection & { readonly folder?: string };
  readonly shard?: Shard;
  readonly seed?: number;
  readonly adapters: readonly SubjectLine[];
}

export interface AdapterLine {
  readonly type: 'adapter';
  readonly adapter: string;
  readonly implementation?: Implementation;
  readonly operations?: readonly string[];
  readonly notRun?: string;
  readonly neverWorked?: string;
  readonly internalError?: string;
  readonly notes?: readonly string[];
  readonly freshSeed?: number;
  readonly forged?: number;
  readonly over?: string;
  readonly stale?: readonly string[];
  readonly banner?: number;
}

export interface OutcomeLine extends Insight {
  readonly type: 'outcome' | 'fresh';
  readonly adapter: string;
  readonly id: string;
  readonly level: Level;
  readonly operation: string;
  readonly rules: readonly string[];
  readonly status: Status;
  readonly milliseconds?: number;
  readonly known?: true;
  readonly reason?: string;
  readonly otherwise?: string;
  readonly message?: string;
  readonly met?: string;
  readonly difference?: Difference;
  /** Only of a question on fresh data. */
  readonly causes?: readonly string[];
}

export interface ForgedLine {
  readonly type: 'forged';
  readonly adapter: string;
  readonly operation: string;
  readonly id: string;
  readonly mistakes: readonly string[];
  readonly status: Status;
  readonly known?: true;
  readonly message?: string;
  readonly causes?: readonly string[];
}

export interface CauseLine {
  readonly type: 'cause';
  readonly adapter: string;
  readonly mistake: string;
  readonly cause: string;
  readonly fix: string;
  readonly rule: string;
  readonly confidence: 'exact' | 'one of' | 'nearest';
  readonly differing?: readonly [differing: number, of: number];
  readonly others: readonly string[];
  readonly within?: readonly string[];
  readonly ids: readonly string[];
}

export interface SmallestLine {
  readonly id: string;
  readonly operation: string;
  readonly keys?: KeyPair;
  readonly input: Input;
  readonly status: Status;
  readonly message?: string;
  readonly difference?: Difference;
  readonly neighbour?: string;
  readonly besides?: number;
}

export interface UnexplainedLine {
  readonly type: 'unexplained';
  readonly adapter: string;
  readonly ids: readonly string[];
  readonly smallest: readonly SmallestLine[];
}

export interface FooterLine {
  readonly type: 'footer';
  readonly exitCode: number;
  readonly lines: number;
}

export type ReportLine =
  | HeaderLine
  | AdapterLine
  | OutcomeLine
  | ForgedLine
  | CauseLine
  | UnexplainedLine
  | FooterLine;

/** The lines about one adapter. */
export interface RecordedAdapter {
  readonly line: AdapterLine;
  readonly outcomes: readonly OutcomeLine[];
  readonly forged: readonly ForgedLine[];
  readonly fresh: readonly OutcomeLine[];
  readonly causes: readonly CauseLine[];
  readonly unexplained: readonly UnexplainedLine[];
}

/** A report as it was read from a file. */
export interface RecordedReport {
  /** The name of the file, for messages. */
  readonly name: string;
  readonly header: HeaderLine;
  readonly adapters: readonly RecordedAdapter[];
}

/** Groups the lines between the header and the footer by adapter, in the order of the report. */
export function groupByAdapter(lines: readonly ReportLine[]): readonly RecordedAdapter[] {
  const own = lines.filter((line) => line.type === 'adapter');
  return own.map((line) => {
    const about = <Line extends ReportLine>(type: Line['type']): readonly Line[] =>
      lines.filter(
        (one): one is Line => one.type === type && 'adapter' in one && one.adapter === line.adapter,
      );
    return {
      line,
      outcomes: about<OutcomeLine>('outcome'),
      forged: about<ForgedLine>('forged'),
      fresh: about<OutcomeLine>('fresh'),
      causes: about<CauseLine>('cause'),
      unexplained: about<UnexplainedLine>('unexplained'),
    };
  });
}
