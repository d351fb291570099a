/** A module whose passwords have Base64 without padding. */
export const password = ({ text }) => Buffer.from(text).toString('base64').replace(/=+$/, '');
