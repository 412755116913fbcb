package jobpages

const DeletedPerPage = deletedPerPage

var (
	CodeBase     = codeBase
	CodeTemplate = codeTemplate
	JobColumns   = jobColumns
	PlaceOf      = placeOf
)
