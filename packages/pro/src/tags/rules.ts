/** The prefix of this module's branches; the name of the tag follows it. */
const PREFIX = 'tags/';

export const branchOfTag = (tagName: string): string => PREFIX + tagName;

/** The tag that a branch shows, or undefined for a branch of another kind. */
export const tagNameOf = (branch: string): string | undefined =>
  branch.startsWith(PREFIX) && branch.length > PREFIX.length ? branch.slice(PREFIX.length) : undefined;
