//! The folders of the user, by the specification of XDG.

use std::path::{Path, PathBuf};

/// The file `name` of this program in the folder that `variable` names, or in `usual` of the home; `None` without a home. "All paths set in
/// these environment variables must be absolute. If an implementation encounters a relative path [...] it should consider the path invalid and
/// ignore it."
pub(crate) fn file(variable: &str, usual: &str, name: impl AsRef<Path>) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = folder.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(usual)))?;
    Some(folder.join("jrpc").join(name))
}
