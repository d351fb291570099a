/**
 * The register of known mistakes.
 *
 * @module
 */
import { ACTION_DIGEST } from './action-digest.ts';
import { ACTION_FORMS } from './action-forms.ts';
import { ACTION_TEXT } from './action-text.ts';
import { AUTHORIZATION_HEADER } from './authorization-header.ts';
import { ENCODING } from './encoding.ts';
import { ETAG } from './etag.ts';
import { ETAG_DIGESTS } from './etag-digests.ts';
import { FILE_SIGNATURE } from './file-signature.ts';
import { FLATTENING } from './flattening.ts';
import { FOLDING } from './folding.ts';
import { FORM_UPLOADS } from './form-uploads.ts';
import { HEADERS } from './headers.ts';
import { MERGING } from './merging.ts';
import type { Mistake } from './mistake.ts';
import { NUMBERS } from './numbers.ts';
import { PARAMETERS } from './parameters.ts';
import { PASSWORDS } from './passwords.ts';
import { POSITIONAL } from './positional.ts';
import { PRESIGNED } from './presigned.ts';
import { PRESIGNED_ADDRESS } from './presigned-address.ts';
import { REQUEST_CHECKS } from './request-checks.ts';
import { RESOURCE } from './resource.ts';
import { STRING_TO_SIGN } from './string-to-sign.ts';
import { UPLOADS } from './uploads.ts';
import { VALUES } from './values.ts';
import { VERIFYING } from './verifying.ts';
import { VERIFYING_PARAMETERS } from './verifying-parameters.ts';
import { VERIFYING_URLS } from './verifying-urls.ts';

export { type Mistake, mistaken } from './mistake.ts';

/** Every known mistake, in the order of the specification. */
export const MISTAKES: readonly Mistake[] = [
  ...ETAG,
  ...ETAG_DIGESTS,
  ...PASSWORDS,
  ...PARAMETERS,
  ...FLATTENING,
  ...NUMBERS,
  ...VALUES,
  ...ACTION_TEXT,
  ...ACTION_DIGEST,
  ...ENCODING,
  ...ACTION_FORMS,
  ...HEADERS,
  ...MERGING,
  ...FOLDING,
  ...POSITIONAL,
  ...RESOURCE,
  ...STRING_TO_SIGN,
  ...FILE_SIGNATURE,
  ...AUTHORIZATION_HEADER,
  ...FORM_UPLOADS,
  ...UPLOADS,
  ...PRESIGNED,
  ...PRESIGNED_ADDRESS,
  ...REQUEST_CHECKS,
  ...VERIFYING,
  ...VERIFYING_PARAMETERS,
  ...VERIFYING_URLS,
];
