/**
 * The data of `vectors/`: rules and vectors.
 *
 * @module
 */
import type { OperationInput } from '../../reference/operations.ts';
import type { KeyPair } from '../../reference/signing/types.ts';

export type { KeyPair };

/**
 * must: the specification requires it. observed: the specification is silent; the service's documentation or all published
 * SDKs agree. advised: HTTP or safety requires it. open: sources disagree.
 */
export type Level = 'must' | 'observed' | 'advised' | 'open';

/** Every level, the strongest first. */
export const LEVELS: readonly Level[] = ['must', 'observed', 'advised', 'open'];

export interface Rule {
  readonly id: string;
  readonly level: Level;
  readonly text: string;
  /** Section and item of the specification: `5.2 step 3`, `5.1 R2`. */
  readonly cites?: readonly string[];
  /** Why no vector can test the rule. */
  readonly untested?: string;
}

/** Every stage of an answer, by name. */
export type Stages = Readonly<Record<string, unknown>>;
export type Input = OperationInput & {
  /** Where a client sent the request that `wire` judges. */
  readonly host?: string | undefined;
  readonly target?: string | undefined;
};

export interface Refuse {
  readonly reason: string;
  /** The reason must be the same; by default, any reason passes. */
  readonly exact?: true;
  /** A signer may also add the missing part; it then answers as for the control. */
  readonly completable?: true;
}

/** One of the accepted answers to an open question. */
export interface Alternative {
  readonly because: string;
  readonly expect?: Stages;
  readonly refuse?: Refuse;
}

/** The corrected input of a refusal. It must get an answer, so that the refusal is about the fault and not about the rest. */
export interface Control {
  /** Members that replace those of the vector's input in the control. */
  readonly input: Input;
  readonly keys?: KeyPair;
  readonly expect: Stages;
}

/** How to make the wrong signature of an input. */
export interface Forged {
  readonly input?: Input;
  readonly keys?: KeyPair;
  readonly text?: string;
}

export interface Vector {
  /** `<operation>/<topic>/<id>`: the only name of the vector. */
  readonly id: string;
  readonly operation: string;
  readonly rules: readonly string[];
  /** The weakest level among its rules. */
  readonly level: Level;
  readonly why: string;
  readonly source: string;
  readonly keys: KeyPair;
  readonly input: Input;
  readonly expect?: Stages;
  readonly accept?: Readonly<Record<string, Alternative>>;
  readonly refuse?: Refuse;
  readonly control?: Control;
  readonly forged?: Forged;
  /** Why the vector stays although other vectors catch the same mistakes. */
  readonly keep?: string;
  /** Only `--large` or its id selects the vector: its content adds many bytes to each run, and smaller contents catch nearly all of its mistakes. */
  readonly large?: true;
}

/** A question with the answer that it must get: a vector without its rules, its level and its prose. */
export type BareVector = Pick<
  Vector,
  'id' | 'operation' | 'keys' | 'input' | 'expect' | 'refuse' | 'control'
>;

export interface Suite {
  /** The version of the package that contains the vectors. */
  readonly version: string;
  /** The address of the site, with a slash at its end; absent before a release. */
  readonly site?: string;
  readonly rules: readonly Rule[];
  readonly vectors: readonly Vector[];
  /** The id of the simplest vector of each operation. The harness asks these first, to see whether the respondent works. */
  readonly knownGood: readonly string[];
  /** The ids of the smoke set; absent if the folder has no smoke.yaml. */
  readonly smoke?: readonly string[];
}
