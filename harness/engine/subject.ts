/**
 * The subject of a run: a command from the command line, or a bundled adapter.
 *
 * @module
 */
export interface Subject {
  readonly name: string;
  readonly command: readonly string[];
  /** The working directory of the command; by default that of the harness. */
  readonly folder?: string;
  readonly dialect: string;
  /** The wire format: `json` or `tabs`. */
  readonly wire: string;
  /** Whether it is an adapter of this repository. */
  readonly ownAdapter: boolean;
  /** Set if the subject is not an adapter: a server that received requests, or a client that sent requests. */
  readonly kind?: 'server' | 'client';
  /** The JavaScript module that the command runs. */
  readonly module?: string;
  /** The folder that the user passed. */
  readonly folderGiven?: string;
  /** Why it cannot run on this machine; `undefined` if it can. */
  readonly missing?: string | undefined;
  /** How a client of `wire` exited, as a clause. */
  readonly ended?: string;
  /** The file of its known failures. */
  readonly expectations?: string;
}
