import * as z from 'zod';

const id = (what: string, example: string) =>
  z
    .string()
    .regex(/^[0-9a-z]{1,64}$/, `is not the id of a ${what}`)
    .meta({ description: `The id of a ${what}.`, examples: [example] });

export const teamId = id('team', '01k0a4g3v5x7y9z1b3d5f7h9jk');
export const memberId = id('member of a team', '01k0a4g3v5x7y9z1b3d5f7h9jm');

export const teamSlug = z
  .string()
  .max(64)
  .regex(
    /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
    'must be small letters, digits and hyphens, and neither begin nor end with one',
  )
  .meta({ description: 'A name for addresses, unique in the account.', examples: ['payments'] });

/** Compared without regard to case, as mail systems do in practice. */
export const email = z
  .string()
  .overwrite((text) => (text.length > 254 ? text : text.trim().toLowerCase()))
  .refine((text) => text.length <= 254, 'is longer than 254 characters')
  .refine((text) => text.isWellFormed() && /^[^\s@\p{Cc}/]+@[^\s@\p{Cc}/]+$/u.test(text), 'is not an e-mail address')
  .meta({
    id: 'Email',
    description: 'An e-mail address, kept in small letters.',
    maxLength: 254,
    examples: ['ada@example.com'],
  });

export const memberRole = z.enum(['admin', 'developer', 'viewer']).meta({
  id: 'MemberRole',
  description:
    'What the keys of a member may be: those of a `viewer` only read, those of a `developer` are of no type admin, ' +
    'those of an `admin` may be any.',
});
