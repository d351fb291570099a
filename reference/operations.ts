/**
 * The table of operations: the input of each, and the stages of its answer.
 *
 * The schemas, the protocol, the signer of a module and the harness use these names. Tests compare the published texts with it.
 *
 * @module
 */

import type { Content } from './contents.ts';
import type {
  ActionParameters,
  FileRequest,
  FormRequest,
  InstantUpload,
  Pair,
  PresignedRequest,
} from './signing/index.ts';

interface TextInput {
  readonly text: string;
}
interface ParametersInput {
  readonly parameters: ActionParameters;
}
interface ContentInput {
  readonly content: Content;
}

/** The input of each operation, by its name in the protocol, in the order of the specification's dependencies. */
export interface Inputs {
  readonly 'url-encode': TextInput;
  readonly password: TextInput;
  readonly 'action-signature': ParametersInput;
  readonly 'action-json': ParametersInput;
  readonly 'action-query': ParametersInput;
  readonly 'bucket-request': ParametersInput;
  readonly authorization: FileRequest;
  readonly 'form-authorization': FormRequest;
  readonly policy: { readonly members: readonly Pair[] };
  readonly 'policy-authorization': FileRequest & { readonly policy: string };
  readonly 'instant-upload': InstantUpload;
  readonly 'presigned-url': PresignedRequest;
  readonly etag: ContentInput;
  readonly 'part-etag': ContentInput;
  readonly 'verify-authorization': FileRequest;
  readonly 'verify-presigned-url': Pick<FileRequest, 'method' | 'headers'> &
    Pick<PresignedRequest, 'fileHost'> & {
      readonly url: string;
      /** Unix seconds as decimal text. */
      readonly now: string;
    };
  readonly 'verify-query': { readonly query: string };
  readonly 'verify-json': { readonly body: string };
}

export type OperationName = keyof Inputs;

type MemberName = { [Name in OperationName]: keyof Inputs[Name] }[OperationName];
type MemberValue<Member> = {
  [Name in OperationName]: Member extends keyof Inputs[Name] ? Inputs[Name][Member] : never;
}[OperationName];

/** The input of any operation: every member that some operation has. */
export type OperationInput = { readonly [Member in MemberName]?: MemberValue<Member> | undefined };

/** One row of the table. */
export interface Operation<Member extends string = string> {
  /** The section of the specification; absent if it only mentions the operation. */
  readonly section?: string;
  /** The members of the input; each is required. */
  readonly input: readonly Member[];
  /** All stages of the answer in order; the results come last. */
  readonly stages: readonly string[];
  /** The number of stages, from the end, that are results; the others are the trace. */
  readonly results: number;
}

const FILE = ['bucket', 'key', 'headers'] as const;
const ACTION_STAGES = ['sortedParameters', 'stringToSign', 'signature'];
const FILE_STAGES = [
  'canonicalHeaders',
  'canonicalResource',
  'stringToSign',
  'digest',
  'signature',
];

const TABLE: { readonly [Name in OperationName]: Operation<keyof Inputs[Name] & string> } = {
  'url-encode': { section: '5.3', input: ['text'], stages: ['encoded'], results: 1 },
  password: { section: '4.2', input: ['text'], stages: ['value'], results: 1 },
  'action-signature': {
    section: '5.1',
    input: ['parameters'],
    stages: ACTION_STAGES,
    results: 1,
  },
  'action-json': {
    section: '4.2',
    input: ['parameters'],
    stages: [...ACTION_STAGES, 'body'],
    results: 1,
  },
  'action-query': {
    section: '5.3',
    input: ['parameters'],
    stages: [...ACTION_STAGES, 'query'],
    results: 1,
  },
  'bucket-request': {
    section: '4.1',
    input: ['parameters'],
    stages: [...ACTION_STAGES, 'target'],
    results: 1,
  },
  authorization: {
    section: '5.2',
    input: ['method', ...FILE],
    stages: [...FILE_STAGES, 'authorization'],
    results: 1,
  },
  'form-authorization': {
    section: '4.3',
    input: [...FILE, 'fields'],
    stages: [...FILE_STAGES, 'authorization'],
    results: 1,
  },
  policy: { input: ['members'], stages: ['policy'], results: 1 },
  'policy-authorization': {
    input: ['method', ...FILE, 'policy'],
    stages: [...FILE_STAGES, 'authorization'],
    results: 1,
  },
  'instant-upload': {
    input: [...FILE, 'etag', 'size'],
    stages: [...FILE_STAGES, 'authorization', 'target'],
    results: 2,
  },
  'presigned-url': {
    section: '5.4',
    input: ['method', ...FILE, 'expires', 'scheme', 'fileHost'],
    stages: [...FILE_STAGES, 'encodedSignature', 'url'],
    results: 1,
  },
  etag: {
    section: '2',
    input: ['content'],
    stages: ['blockCount', 'digest', 'etag'],
    results: 1,
  },
  'part-etag': { input: ['content'], stages: ['digest', 'etag'], results: 1 },
  'verify-authorization': {
    input: ['method', ...FILE],
    stages: [...FILE_STAGES, 'publicKey'],
    results: 1,
  },
  'verify-presigned-url': {
    input: ['method', 'url', 'headers', 'fileHost', 'now'],
    stages: [...FILE_STAGES, 'publicKey'],
    results: 1,
  },
  'verify-query': { input: ['query'], stages: [...ACTION_STAGES, 'publicKey'], results: 1 },
  'verify-json': { input: ['body'], stages: [...ACTION_STAGES, 'publicKey'], results: 1 },
};

/** All operations by name. A name from a vector or an adapter may be unknown. */
export const OPERATIONS: Readonly<Record<string, Operation>> = TABLE;

/** Whether an operation verifies a signature; the others compute one, or another value. */
export const isVerifier = (operation: string): boolean => operation.startsWith('verify-');

/** The stages that are the result of an operation. Only they decide whether an answer is correct. */
export function resultStages(name: string): readonly string[] {
  const { stages, results } = OPERATIONS[name] ?? { stages: [], results: 0 };
  return stages.slice(stages.length - results);
}
