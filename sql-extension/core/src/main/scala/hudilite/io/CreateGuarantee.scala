package hudilite.io

/** How a storage creates a file only if its name is free, in words for users.
  * @param how clause that says by which request, and why it was chosen
  * @param fix sentences that say what to do if a name is given twice nevertheless */
final case class CreateGuarantee(how: String, fix: String)
