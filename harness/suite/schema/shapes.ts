/**
 * The values that the schemas of `schema/` accept, as types. Types that the engine defines are not repeated here.
 *
 * @module
 */

import type { Status } from '../../engine/judge/judge.ts';
import type { Dialect, Implementation } from '../../engine/protocol.ts';
import type { Selection } from '../../engine/select.ts';
import type { KeyPair, Stages, Vector } from '../../engine/vector.ts';

/** A vector as its file writes it; `keys` and `source` default to those of the file. */
export interface WrittenVector
  extends Omit<Vector, 'level' | 'operation' | 'keys' | 'source' | 'keep'> {
  readonly keys?: KeyPair;
  readonly source?: string;
}

export interface WrittenFile {
  readonly operation: string;
  readonly source?: string;
  readonly keys?: KeyPair;
  readonly keep?: readonly Keep[];
  readonly vectors: readonly WrittenVector[];
}

/** A reason to keep vectors that catch only mistakes that many other vectors catch. */
interface Keep {
  readonly because: string;
  /** Ids within the file. */
  readonly vectors: readonly string[];
}

/** An entry of an expectations file. */
export interface Entry {
  readonly vectors?: string | readonly string[];
  readonly forged?: string | readonly string[];
  readonly status: Status;
  readonly cause?: string | readonly string[];
  readonly reason: string;
  readonly issue?: string;
  readonly until?: string;
}

/** `adapter.json` in an adapter's folder. */
export interface Manifest {
  readonly name: string;
  readonly command: readonly string[];
  readonly dialect: string;
  /** The wire form of its messages; JSON if absent. */
  readonly wire?: string;
  /** How many processes share its questions; one if absent. */
  readonly jobs?: number;
  /** Other programs that it starts, by their names on the PATH. */
  readonly programs?: readonly string[];
  /** The command that installs or builds what the adapter needs; if absent, `npm run setup:kits`. */
  readonly setup?: string;
  /** The program that builds an adapter in a compiled language, by its name on the PATH. */
  readonly toolchain?: string;
  /** The command that builds it. */
  readonly build?: readonly string[];
  readonly needs?: Needs;
}

/** What the build needs besides the toolchain, such as the headers of a library. */
export interface Needs {
  /** A command that exits with status 0 if the build can use it. */
  readonly check: readonly string[];
  /** The sentence that reports its absence and says what to do. */
  readonly missing: string;
}

/** `init.json` of a kit: the files of a new project besides those of `template/`. */
export interface Beginning {
  /** The usual spelling of the language. */
  readonly language: string;
  /** Other names that `init` accepts. */
  readonly aliases?: readonly string[];
  /** Files of the kit itself: the loop. */
  readonly copies: readonly string[];
  /** The file of the template with the function that is left to write. */
  readonly fillIn: string;
  /** Lines of `.gitignore`. */
  readonly ignored: readonly string[];
  /** Debian packages of the toolchain, for CI services other than GitHub. */
  readonly debian: readonly string[];
  /** What makes each vector a test of the language's test framework. */
  readonly tests?: { readonly file: string; readonly command: string };
  /** Steps of a GitHub workflow that install the toolchain. */
  readonly ci: readonly object[];
}

/** A reply without the number of its question. */
export interface ReplyMessage {
  readonly result?: Stages;
  readonly trace?: Stages;
  readonly refused?: { readonly reason: string; readonly message?: string };
  readonly unsupported?: true | string;
  readonly error?: string;
}

/** The first line of an export, if the answers repeat it. */
export interface AnswersHeader {
  readonly format: number;
  readonly suite: string;
  readonly dialect: Dialect;
  readonly selection: Selection;
  /** The implementation that gave the answers. */
  readonly implementation?: Implementation;
}

/** A line of a file of answers. */
export type AnswerMessage = ReplyMessage & { readonly id: string; readonly control?: boolean };
