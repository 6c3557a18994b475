/**
 * Words far apart in meaning, each nearest to the middle of one of 256 clusters of the 9,000 most common words of the built-in
 * table. An entry is in the cluster of the word that it is closest to; another list needs all vectors to be made again.
 */
export const CLUSTER_WORDS: readonly string[] = `
  same state opened read process client bedrooms larger allocated often means protein conditional fifth close returned
  relationship support university money further private researchers permissions locking just cluster round perform
  explicitly enable execute accept functions protect purpose servers preparing elected conflict despite address
  initialization negative manner occur democrats throughout completion remove agents specifying formed rendering focus
  matches aria weekly construction insert catch cleveland goals february browsers investor override razor chart sparse
  descriptions hosted committed mentioned formatting triggered quote unemployment armed hardware declaration indexes
  cached parents china teaches split notifications walking sentence voice optimize divine partitions refused validate
  owns warn django cleanup authentication drink smart vehicle conduct angle bench introducing went improve contributors
  pack increase militia basically entering essentially engines towns interaction technique argue deployment distribution
  rachel ordinary extensive unusual aside absence database clothing suffered executive woman backwards warfare sells
  incorrectly naming skill indirect changed tribes corresponds excluded jail utils serbia europe departing sees perfect
  disk troubleshooting volatile order theatre diagnose enforced encoding beautiful photographs categories rank freebsd
  testing href plastic furthermore acknowledged font viewing cryptographic journalists animal food exhibition
  investigations anybody counsel recursive surrounded struggling rail uncertain historical rugby sender fingers exports
  defending participate counting excellent detector manufacturing publishers shift musicians neutral legal shortname
  downloading terminology convinced spanish choosing time lifted northeast bones assignment memories fence vfio
  understand chemical redirects terminal honored plants rope crossed visiting arguably honest doctors resembles
  calculations measure intestine seccomp sauce cattle specially pandemic diplomat aircraft geometry governing concurrent
  gene brain oregon changes humans buttons emotions probability generates prejudice robert reflecting johnson bombs`
  .trim()
  .split(/\s+/);
