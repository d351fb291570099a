/**
 * The rule behind a refusal that is about the form of a request, and not about its signature.
 *
 * @module
 */

const RULES: Readonly<Record<string, string>> = {
  'authorization-malformed': '5.2/header-form',
  'expires-malformed': '5.4/expires-text',
  'parameter-repeated': '5.1/repeated-name',
  'public-key-unknown': '5/key-of-account',
  'signature-missing': '4.2/signature-required',
  expired: '5.4/expiry',
};

/** Of parameters that are missing. */
const REQUIRED: Readonly<Record<string, string>> = {
  Action: '4.2/action-required',
  PublicKey: '4.2/public-key-required',
};

const OF_URLS: Readonly<Record<string, string>> = {
  'parameter-missing': '5.4/parameters',
  'parameter-repeated': '5.4/parameters-once',
  'signature-missing': '5.4/parameters',
};

/** The id of the rule; nothing where no rule says more than the refusal. */
export function ruleOfRefusal(reason: string, message: string, isUrl: boolean): string | undefined {
  const missing = /^parameter (\S+) is missing/.exec(message)?.[1] ?? '';
  return (isUrl ? OF_URLS[reason] : REQUIRED[missing]) ?? RULES[reason];
}
