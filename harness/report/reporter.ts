/**
 * What every format of a report is made from, and when.
 *
 * A reporter turns what is known into text, piece by piece; where the text goes is not its business. One that needs
 * everything at once, as an XML file with totals at its head does, keeps what it is told and writes it in the end.
 *
 * @module
 */
import type { Subject } from '../adapter/subject.ts';
import type { Explanation } from '../diagnosis/explanation.ts';
import type { Run } from '../run.ts';
import type { Selection } from '../suite/select.ts';
import type { Suite, Vector } from '../suite/vector.ts';

/** The options of a command line and what stands beside them. */
export interface Parameters {
  readonly values: Readonly<
    Record<string, string | boolean | readonly (string | boolean)[] | undefined>
  >;
  readonly positionals: readonly string[];
}

/** Known before anything is judged. */
export interface Beginning {
  readonly suite: Suite;
  /** Those that are asked about. */
  readonly vectors: readonly Vector[];
  readonly selection: Selection;
  /** The folder of vectors that was given in place of those of the package. */
  readonly folder?: string;
  /** Of fresh data. */
  readonly seed?: number;
  /** How many vectors are on fresh data. */
  readonly freshCount?: number;
  readonly subjects: readonly Subject[];
  /** What the command line says. */
  readonly parameters: Parameters;
}

/** One subject when its run is over. */
export interface JudgedSubject {
  readonly subject: Subject;
  /** Nothing where it could not be run here. */
  readonly run?: Run;
  /** Where something failed. */
  readonly explanation?: Explanation;
}

export interface Ending {
  readonly exitCode: number;
  /** How many subjects could not be run here. */
  readonly missing: number;
  /** An error ended the harness before; standard error says which. */
  readonly isAbandoned?: true;
}

export interface Reporter {
  readonly begun: (beginning: Beginning) => string;
  readonly judged: (judged: JudgedSubject) => string | Promise<string>;
  /** Also where the run was interrupted. */
  readonly ended: (ending: Ending) => string;
}

export type SubjectKind = NonNullable<Subject['kind']> | 'adapter';

/** Who is judged. */
export function kindOf({ subjects }: Beginning): SubjectKind {
  return subjects[0]?.kind ?? 'adapter';
}
