const ASK = 'Ask who administers the account';

/** What a key lacks, and what to do about it. */
export const missingRights = {
  needs: {
    admin_key: `This is for admins. ${ASK} to do it or to make you an admin key, then sign out and sign in with that key.`,
    whole_account: `This is about the whole account, and your key sees only a part of it. ${ASK} for a key without scopes, then sign out and sign in with that key.`,
    all_agents: `This is about all agents, and your key belongs to some of them. ${ASK} for a key that is bound to no agent, then sign out and sign in with that key.`,
    operator: 'Only who runs the service can do this. Ask them.',
  },
  scope: (isRead: boolean, path: string | undefined) => {
    const what = isRead ? 'read' : 'change';
    return path === undefined
      ? `Your key may ${what} nothing. ${ASK} to give it a scope that does.`
      : `Your key may not ${what} ${path}. ${ASK} for a key whose scopes allow ${isRead ? 'READ' : 'WRITE'} there.`;
  },
  agent: (agent: string) =>
    `Your key may not act as ${agent}. ${ASK} for a key that is bound to no agent, then sign out and sign in with that key.`,
  branch: (branch: string, isRead: boolean) =>
    `You have no access to ${isRead ? 'read' : 'change'} the branch ${branch}. ${ASK}, or who owns the branch, to grant it to you.`,
  service: (words: string) => `The service answered: ${words}`,
} as const;
