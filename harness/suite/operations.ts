/**
 * The operations of the protocol: every stage of their answers in order, the result last.
 *
 * @module
 */

export interface Operation {
  readonly stages: readonly string[];
  /** How many of the stages, from the end, are the result; the others are its trace. */
  readonly results: number;
}

const ACTION = ['sortedParameters', 'stringToSign', 'signature'];
const FILE = ['canonicalHeaders', 'canonicalResource', 'stringToSign', 'digest', 'signature'];

function operation(stages: readonly string[], results = 1): Operation {
  return { stages, results };
}

/** Every operation by its name, in the order of the specification's dependencies. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'url-encode': operation(['encoded']),
  password: operation(['value']),
  'action-signature': operation(ACTION),
  'action-json': operation([...ACTION, 'body']),
  'action-query': operation([...ACTION, 'query']),
  'bucket-request': operation([...ACTION, 'target']),
  authorization: operation([...FILE, 'authorization']),
  'form-authorization': operation([...FILE, 'authorization']),
  policy: operation(['policy']),
  'policy-authorization': operation([...FILE, 'authorization']),
  'instant-upload': operation([...FILE, 'authorization', 'target'], 2),
  'presigned-url': operation([...FILE, 'encodedSignature', 'url']),
  etag: operation(['blockCount', 'digest', 'etag']),
  'part-etag': operation(['digest', 'etag']),
  'verify-authorization': operation([...FILE, 'publicKey']),
  'verify-presigned-url': operation([...FILE, 'publicKey']),
  'verify-query': operation([...ACTION, 'publicKey']),
  'verify-json': operation([...ACTION, 'publicKey']),
};

/** The stages of an operation that travel in a request: what its answer is judged by. */
export function resultStages(name: string): readonly string[] {
  const { stages, results } = OPERATIONS[name] ?? operation([]);
  return stages.slice(stages.length - results);
}
