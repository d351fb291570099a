/**
 * The words that start this program again, for the commands that it prints.
 *
 * @module
 */
import { basename, delimiter, dirname, isAbsolute, relative, sep } from 'node:path';
import { isSea } from 'node:sea';

const NAME = 'svc-conformance';

/** How this process was started. */
interface Start {
  /** The script, or the binary. */
  readonly file: string;
  readonly isBinary: boolean;
  /** The variable PATH. */
  readonly searched: string;
}

/** The plain name if the shell finds it, `npx` with a package in node_modules, or else the file that was started. */
export function programWords(start: Start = currentStart()): readonly string[] {
  const { file, isBinary, searched } = start;
  // Within another program, such as a test runner, nothing tells how a shell starts this one.
  if (!basename(file).startsWith(NAME)) return [NAME];
  const name = basename(file).replace(/\.exe$/i, '');
  // npx adds the folder of the package to PATH, but only for the program that it starts.
  const folders = searched.split(delimiter).filter((folder) => !isInPackages(folder));
  if (name === NAME && folders.includes(dirname(file))) return [NAME];
  if (isInPackages(file)) return ['npx', NAME];
  return isBinary ? [shownPath(file)] : ['node', withoutDot(shownPath(file))];
}

function currentStart(): Start {
  const isBinary = isSea();
  const file = isBinary ? process.execPath : (process.argv[1] ?? '');
  return { file, isBinary, searched: process.env['PATH'] ?? '' };
}

function isInPackages(path: string): boolean {
  return path.split(sep).includes('node_modules');
}

/** A relative path with a leading dot, so that it is not taken for a name; an absolute path outside the working directory. */
export function shownPath(path: string): string {
  const way = relative('', path);
  if (way === '') return '.';
  return way.startsWith('..') || isAbsolute(way) ? path : `.${sep}${way}`;
}

function withoutDot(path: string): string {
  return path.replace(/^\.[/\\]/, '');
}
