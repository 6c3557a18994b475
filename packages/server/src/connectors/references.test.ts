import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryNode, isCommitSha, issueKeysIn, linksIn, webPages } from './references.ts';

const SHA = '5f8c1e6a1b2c3d4e5f60718293a4b5c6d7e8f901';
const REPOSITORY = 'repos/acme/shop';
const targets = (text: string, repository?: string) => linksIn([text], repository).map(({ to }) => to);

describe('what a text names', () => {
  it('includes issues and pull requests of the repository', () => {
    expect(linksIn(['Fixes #12, see #13'], REPOSITORY)).toEqual([
      { relation: 'closes', to: 'repos/acme/shop/issue-12' },
      { relation: 'mentions', to: 'repos/acme/shop/issue-13' },
    ]);
    expect(targets('Merge pull request #7 from acme/x', REPOSITORY)).toEqual(['repos/acme/shop/pr-7']);
    expect(targets('Retry payments (#8)', REPOSITORY)).toEqual(['repos/acme/shop/pr-8']);
    expect(targets('see #12')).toEqual([]);
  });

  it('includes those of other repositories', () => {
    expect(targets('broken by acme/ledger#4', REPOSITORY)).toEqual(['repos/acme/ledger/issue-4']);
    expect(targets('https://github.com/acme/ledger/pull/5#discussion_r1')).toEqual(['repos/acme/ledger/pr-5']);
    expect(targets(`https://github.com/acme/ledger/commit/${SHA}`)).toEqual([`repos/acme/ledger/commit-${SHA}`]);
  });

  it('includes commits by their whole hash', () => {
    expect(targets(`rolled back to ${SHA}`, REPOSITORY)).toEqual([`repos/acme/shop/commit-${SHA}`]);
    expect(isCommitSha('0'.repeat(40))).toBe(false);
  });

  it('includes issue keys, also in the name of a branch', () => {
    expect(issueKeysIn('feature/PAY-123-retry-2 and OPS_X-4')).toEqual(['PAY-123', 'OPS_X-4']);
    expect(targets('PAY-123')).toEqual(['projects/jira/PAY/issue-PAY-123']);
    expect(issueKeysIn('UTF-8, SHA-256, CVE-2024-1234, ISO-8601, aPAY-1, PAY-1x, PAY-0')).toEqual([]);
  });

  it('is a commit beside the name of one repository', () => {
    const sha = '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c';
    expect(targets(`acme/shop: deployed ${sha}`)).toEqual([`repos/acme/shop/commit-${sha}`]);
    expect(targets(`deployed ${sha}`)).toEqual([]);
    expect(targets(`acme/shop and acme/cart: ${sha}`)).toEqual([]);
    expect(targets(`https://x.example/acme/shop ${sha}`)).toEqual([]);
  });

  it('excludes colours, anchors and entities', () => {
    expect(targets('colour #00ff00, page#12, &#39; and #123abc', REPOSITORY)).toEqual([]);
  });

  it('is limited, and each is there once', () => {
    expect(targets(Array.from({ length: 500 }, (_, n) => `#${n + 1} PAY-${n + 1}`).join(' '), REPOSITORY)).toHaveLength(
      20,
    );
    expect(linksIn(['see #1', 'fixes #1', '#1'], REPOSITORY)).toEqual([
      { relation: 'closes', to: 'repos/acme/shop/issue-1' },
    ]);
  });

  it('is found in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const { to } of linksIn([text], REPOSITORY)) expect(to).toMatch(/^(repos|projects)\//);
      }),
    );
  });
});

describe('a node of an entry', () => {
  it('has a slash of the key escaped', () => {
    expect(entryNode('repos/a/b', 'branch-x/100%')).toBe('repos/a/b/branch-x%2F100%25');
  });
});

describe('pages', () => {
  it('are addresses on the web, each once', () => {
    const page = 'https://github.com/acme/shop/pull/1';
    expect(
      webPages(
        page,
        page,
        'javascript:alert(1)',
        null,
        7,
        'git://x',
        'https://x/\0',
        'https://x/\ud800',
        `https://x/${'y'.repeat(3000)}`,
      ),
    ).toEqual([page]);
  });
});
