/**
 * `etag`: the ETags of files, written and checked as `sha256sum` does.
 *
 * @module
 */
import { flagOption, type Verb } from './verb.ts';

export const etagVerb: Verb = {
  usage: ['etag [options] FILE…', 'etag --check [options] [LIST…]'],
  example: 'etag --check etags.txt',
  exitCodes: {
    0: 'every ETag is written, or matches',
    1: 'a file cannot be read, or its ETag differs',
    2: 'usage: an unknown option, a list that cannot be read or has a malformed line',
  },
  summary:
    'Writes the ETag of each file, two spaces and its name. With --check, it compares files with lists of that form.',
  operands: {
    FILE: { help: 'a file; a folder stands for all files in it; - is standard input' },
    LIST: { help: 'lines of ETags and names; - is standard input, which is also the default' },
  },
  options: {
    check: { type: 'flag', short: 'c', help: 'read ETags from the lists and compare the files' },
    quiet: { type: 'flag', help: 'with --check: do not write a line for a file that matches' },
    json: { type: 'flag', help: 'write one JSON object per line' },
  },
  notes: [
    'A name that contains a backslash, a line break or another control character is written with escapes, and its line starts with a backslash.',
    'Folders are read recursively, without links to other folders.',
  ],
  async run(given, call) {
    const { checkLists, writeEtags } = await import('./etag-action.ts');
    return flagOption(given, 'check') ? checkLists(given, call) : writeEtags(given, call);
  },
};
