/** What does here what a word of git, or of an installer, does there. */
const OURS: Readonly<Record<string, string>> = {
  checkout: 'mem switch <branch> changes the branch, mem switch -c <branch> creates one',
  rebase: 'mem refresh brings a branch up to date with its parent, and its own changes stay',
  pull: 'mem refresh brings a branch up to date with its parent',
  fetch: 'mem refresh brings a branch up to date with its parent',
  push: 'mem merge <branch> merges a branch, mem pr open <title> asks for a review of it first',
  revert: 'mem rollback <tag, time or seq> brings back an earlier state, mem restore-version a version of one entry',
  reset: 'mem rollback <tag, time or seq> brings back an earlier state, and mem restore-version a version of one entry',
  show: 'mem read shows an entry, mem show-branch a branch, mem show-merge a merge, mem diff what changed',
  stash: 'every write is kept: mem switch -c <branch> keeps them apart, and mem switch - goes back',
  blame: 'mem history shows who wrote each version of an entry',
  install: 'mem init sets up the clients of this machine and this project',
  uninstall: 'mem init --uninstall takes back what mem init has set up',
  clone: 'mem export and mem import copy memory, mem branch makes a line of its own of it',
};

export const hintForGit = (word: string): string | undefined => (Object.hasOwn(OURS, word) ? OURS[word] : undefined);
