/**
 * What a run is about: a command that was given, or an adapter of the repository.
 *
 * @module
 */
export interface Subject {
  readonly name: string;
  readonly command: readonly string[];
  /** Where the command runs; without it, in the harness's working directory. */
  readonly folder?: string;
  readonly dialect: string;
  /** Its wire form. */
  readonly wire: string;
  /** An adapter of this repository. */
  readonly ownAdapter: boolean;
  /** No adapter: a server that requests were sent to, or a client that sent some. */
  readonly kind?: 'server' | 'client';
  /** The JavaScript module that the command is made for. */
  readonly module?: string;
  /** The folder that it was given by. */
  readonly folderGiven?: string;
  /** Why it cannot run here; nothing where it can. */
  readonly missing?: string | undefined;
  /** Of a client that `wire` ran: how it ended, as a clause. */
  readonly ended?: string;
  /** The file that names its known failures. */
  readonly expectations?: string;
}
