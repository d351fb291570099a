/**
 * What a file operation says no to: status, code and text.
 *
 * @module
 */
import { ServiceError } from '../service-error.ts';

interface Row {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  /** What of it is not published, and so this project's choice. */
  readonly chosen: readonly ('status' | 'code' | 'message')[];
}

export type RefusalName =
  | 'unknown bucket'
  | 'unknown file'
  | 'class not allowed'
  | 'frozen'
  | 'bad copy range'
  | 'bad request'
  | 'bad digest'
  | 'unknown upload'
  | 'bad parts'
  | 'name taken'
  | 'bad position'
  | 'bad range'
  | 'precondition failed'
  | 'callback failed';

const published = (status: number, code: number, message: string): Row => ({
  status,
  code,
  message,
  chosen: [],
});

const ours = (status: number, code: number, message: string): Row => ({
  status,
  code,
  message,
  chosen: ['status', 'code', 'message'],
});

/** Codes of ours start with -1491. */
export const REFUSALS: Readonly<Record<RefusalName, Row>> = {
  'unknown bucket': published(404, -30010, 'bucket not exist'),
  'unknown file': published(404, -148654, 'file not exist'),
  'class not allowed': published(403, -148660, 'switch class not allowed'),
  frozen: published(403, -148671, 'file has not been restored'),
  'bad copy range': { ...ours(419, -149100, 'bad copy range'), chosen: ['code', 'message'] },
  'bad request': ours(400, -149101, 'bad request'),
  'bad digest': ours(400, -149102, 'content md5 mismatch'),
  'unknown upload': ours(404, -149103, 'upload not exist'),
  'bad parts': ours(400, -149104, 'bad part list'),
  'name taken': ours(409, -149105, 'file already exist'),
  'bad position': ours(409, -149106, 'bad append position'),
  'bad range': ours(416, -149107, 'range not satisfiable'),
  'precondition failed': ours(412, -149108, 'precondition failed'),
  'callback failed': ours(502, -149109, 'file uploaded, callback failed'),
};

/**
 * The error of a refusal.
 *
 * @param sentence what, observed, rule; comes after the text of the service
 */
export function refusal(name: RefusalName, sentence?: string): ServiceError {
  const { status, code, message } = REFUSALS[name];
  const whole = sentence === undefined ? message : `${message}: ${sentence}`;
  return new ServiceError(status, code, whole);
}

/** What a request says that nobody understands. */
export function badRequest(sentence: string): ServiceError {
  return refusal('bad request', sentence);
}
