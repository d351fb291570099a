/**
 * Mistakes in callback policies and instant uploads (not in the specification; observed).
 *
 * @module
 */
import { authorizationValue } from '../signing/authorization.ts';
import { base64Url } from '../signing/base64.ts';
import { instantUploadTarget } from '../signing/instant-upload.ts';
import { policy } from '../signing/policy.ts';
import type { Steps } from '../signing/steps.ts';
import { signedText } from '../signing/string-to-sign.ts';
import { utf8Bytes } from '../signing/utf-8.ts';
import type { Mistake } from './mistake.ts';

/** The policy in another form in the text. */
function policySignedAs(form: (text: string) => string): Partial<Steps> {
  return {
    signedText: (parts) => signedText({ ...parts, policy: parts.policy && form(parts.policy) }),
  };
}

/** The policy in another form in the header. */
function policySentAs(form: (text: string) => string): Partial<Steps> {
  return {
    authorizationValue: (scheme, publicKey, signature, text) =>
      `${authorizationValue(scheme, publicKey, signature, '')}${text && form(text)}`,
  };
}

/** The text that URL-safe or standard Base64 stands for. */
function unencoded(text: string): string {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

const encoded = (text: string): string => base64Url(utf8Bytes(text));

const POLICY_TEXT: readonly Mistake[] = [
  {
    id: 'policy-in-standard-base64',
    rule: '5.2/policy-text',
    swap: { policy: (members) => policy(members).replaceAll('-', '+').replaceAll('_', '/') },
    cause: 'the policy is written in standard Base64',
    fix: 'write the policy in URL-safe Base64, with "-" and "_"',
    seen: 'the US3 SDK for JavaScript',
  },
  {
    id: 'policy-without-padding',
    rule: '5.2/policy-text',
    swap: { policy: (members) => policy(members).replace(/(?<!=)=+$/, '') },
    cause: 'the Base64 of the policy has no padding',
    fix: 'keep the "=" at the end',
  },
  {
    id: 'policy-in-lines',
    rule: '5.2/policy-text',
    swap: { policy: (members) => policy(members).replace(/.{76}(?=.)/g, '$&\n') },
    cause: 'the Base64 of the policy is broken into lines of 76 characters',
    fix: 'write the policy in one line',
  },
  {
    id: 'policy-with-blanks',
    rule: '5.2/policy-text',
    swap: {
      policy: (members) => {
        const json = members.map((member) => member.map((text) => JSON.stringify(text)).join(': '));
        return encoded(`{${json.join(', ')}}`);
      },
    },
    cause: 'the JSON of the policy has spaces behind its colons and commas',
    fix: 'write the JSON without white space between its parts',
  },
];

const POLICY: readonly Mistake[] = [
  {
    id: 'policy-unsigned',
    rule: '5.2/policy-signed',
    swap: policySignedAs(() => ''),
    cause: 'the callback policy is sent but not signed',
    fix: 'append the policy to the signed text, behind the resource',
  },
  {
    id: 'policy-on-a-line',
    rule: '5.2/policy-signed',
    swap: policySignedAs((text) => `\n${text}`),
    cause: 'a line feed stands between the resource and the policy',
    fix: 'append the policy to the resource at once',
  },
  {
    id: 'policy-signed-unencoded',
    rule: '5.2/policy-signed',
    swap: policySignedAs(unencoded),
    cause: 'the JSON of the policy is signed, not its Base64',
    fix: 'sign the policy as it is sent',
  },
  {
    id: 'policy-signed-without-padding',
    rule: '5.2/policy-signed',
    swap: policySignedAs((text) => text.replace(/(?<!=)=+$/, '')),
    cause: 'the policy is signed without its padding',
    fix: 'sign the policy as it is sent',
  },
  {
    id: 'policy-encoded-twice',
    rule: '5.2/policy-signed',
    swap: {
      ...policySignedAs(encoded),
      ...policySentAs((text) => `:${encoded(text)}`),
    },
    cause: 'a policy that is encoded already is encoded once more',
    fix: 'sign and send an encoded policy as it is',
  },
  {
    id: 'policy-not-sent',
    rule: '5.2/policy-header',
    swap: policySentAs(() => ''),
    cause: 'the policy is signed but does not follow the signature in the header',
    fix: 'write a colon and the policy behind the signature',
  },
];

const INSTANT: readonly Mistake[] = [
  {
    id: 'instant-path-signed',
    rule: '4.3/instant-upload-resource',
    swap: { instantUploadKey: () => 'uploadhit' },
    cause: 'an instant upload signs its path, uploadhit',
    fix: 'sign the resource of the file that FileName names',
  },
  {
    id: 'instant-object-names',
    rule: '4.3/instant-upload-target',
    swap: {
      instantUploadTarget: (upload, context) =>
        instantUploadTarget(upload, context)
          .replace('&FileName=', '&ObjectName=')
          .replace('&FileSize=', '&ObjectSize='),
    },
    cause: 'an instant upload names its parameters ObjectName and ObjectSize',
    fix: 'name them FileName and FileSize',
  },
  {
    id: 'instant-name-unencoded',
    rule: '4.3/instant-upload-target',
    swap: {
      instantUploadTarget: (upload, context) =>
        instantUploadTarget({ ...upload, key: '' }, context).replace(
          '&FileName=',
          () => `&FileName=${upload.key}`,
        ),
    },
    cause: 'the name of the file stands in the query as it is',
    fix: 'percent-encode the name',
  },
  {
    id: 'instant-name-with-slashes',
    rule: '4.3/instant-upload-target',
    swap: {
      instantUploadTarget: (upload, context) =>
        instantUploadTarget(upload, context).replaceAll('%2F', '/'),
    },
    cause: 'the name of the file is encoded as a path, with its slashes kept',
    fix: 'encode the name as a value, "/" as "%2F"',
  },
  {
    id: 'instant-name-as-form',
    rule: '4.3/instant-upload-target',
    swap: {
      instantUploadTarget: (upload, context) =>
        instantUploadTarget(upload, context).replaceAll('%20', '+'),
    },
    cause: 'a space in the name of the file is written as a plus',
    fix: 'write a space as "%20"',
  },
  {
    id: 'instant-etag-in-standard-base64',
    rule: '4.3/instant-upload-target',
    swap: {
      instantUploadTarget: (upload, context) => {
        const etag = upload.etag.replaceAll('-', '+').replaceAll('_', '/');
        return instantUploadTarget({ ...upload, etag }, context);
      },
    },
    cause: 'the ETag of an instant upload is sent in standard Base64',
    fix: 'send the ETag as it is, in URL-safe Base64',
  },
];

/** Uploads that call somebody back, and those that send no content. */
export const UPLOADS: readonly Mistake[] = [...POLICY_TEXT, ...POLICY, ...INSTANT];
